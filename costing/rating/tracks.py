"""What did a whole device do, window by window, and whose was it? Pure.

A track is one capability of one device as disjoint windows in order; sums over any span are
exact integers, and cutting a span loses nothing. A device's usage is divided between those who
held it (Sharers), never copied.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import sub

from alldata.kernel.intervals import Interval
from alldata.kernel.money import hamilton
from costing.rating.buckets import Holding
from costing.rating.spans import Piece, clamped, clipped, merged


@dataclass(slots=True)
class Track:
    """Windows [starts[k], ends[k]) with the integral q[k]; disjoint, in order.

    `seen_ms`: for how much of each window the value was watched; None: for all of it.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    q: list[int] = field(default_factory=list)
    seen_ms: list[int] | None = None
    _known: list[Interval] | None = field(default=None, compare=False)
    _shortest_ms: int | None = field(default=None, compare=False)

    def within(self, span: Interval, capacity: int) -> int:
        """The integral over the span, no window above what the capacity could do."""
        low = bisect_left(self.starts, span.start_ms)
        high = bisect_right(self.ends, span.end_ms)
        total = self._whole(low, high, capacity)
        for k in {low - 1, high}:
            if 0 <= k < len(self.q) and not low <= k < high:
                total += clipped(clamped(Piece(self._window(k), self.q[k]), capacity), span)
        return total

    def _whole(self, low: int, high: int, capacity: int) -> int:
        """Windows low..high-1 lie inside the span."""
        inside = self.q[low:high]
        if not inside:
            return 0
        if self._shortest_ms is None:
            self._shortest_ms = min(map(sub, self.ends, self.starts))
        if max(inside) <= capacity * self._shortest_ms:
            return sum(inside)
        lengths = [end - start for start, end in zip(self.starts[low:high], self.ends[low:high], strict=True)]
        return sum(min(q, capacity * length) for q, length in zip(inside, lengths, strict=True))

    def _window(self, k: int) -> Interval:
        return Interval(self.starts[k], self.ends[k])

    def known(self) -> list[Interval]:
        """When the device was watched. Which part of a half-watched window it was is not told: the first is taken."""
        if self._known is None:
            ends = self.ends
            if self.seen_ms is not None:
                ends = [min(e, s + seen) for s, e, seen in zip(self.starts, self.ends, self.seen_ms, strict=True)]
            spans = zip(self.starts, ends, strict=True)
            self._known = merged(Interval(start, end) for start, end in spans if start < end)
        return self._known

    def beside(self, q: list[int], seen_ms: list[int] | None = None) -> "Track":
        """Another capability with the same windows; watched at the same times too unless told otherwise."""
        known = self.known() if seen_ms is None else None
        return Track(self.starts, self.ends, q, seen_ms, known, self._shortest_ms)


@dataclass(frozen=True, slots=True)
class Sharers:
    """Between whom a device's usage is divided.

    `holdings` of the capability; `beside`: of the rest of the device, which count where nobody holds the
    capability itself; `told`: what single attempts were seen to use, which counts where several share.
    """

    holdings: Sequence[Holding]
    beside: Sequence[Holding] = ()
    told: Mapping[str, Sequence[Piece]] = field(default_factory=dict)

    def during(self, part: Interval) -> list[Holding]:
        """Who shares a span in which nobody begins or ceases to hold."""
        found = _holders(self.holdings, part) or _holders(self.beside, part)
        return sorted(found, key=lambda h: (h.attempt, h.span, h.amount))

    def parts(self, span: Interval) -> Iterator[Interval]:
        """The span cut wherever someone begins or ceases to hold."""
        cuts = {span.start_ms, span.end_ms}
        for holding in (*self.holdings, *self.beside):
            cuts.update(at for at in (holding.span.start_ms, holding.span.end_ms) if span.start_ms < at < span.end_ms)
        for start_ms, end_ms in pairwise(sorted(cuts)):
            yield Interval(start_ms, end_ms)

    def told_during(self, part: Interval) -> dict[str, int]:
        """What was told of single attempts in the span; nothing of those of whom nothing was."""
        return {
            key: sum(clipped(piece, part) for piece in pieces)
            for key, pieces in self.told.items()
            if any(piece.span.overlap_ms(part) for piece in pieces)
        }


def _holders(holdings: Sequence[Holding], part: Interval) -> list[Holding]:
    return [h for h in holdings if h.span.start_ms <= part.start_ms and h.span.end_ms >= part.end_ms]


def divided(track: Track, sharers: Sharers, span: Interval, capacity: int) -> dict[str, int]:
    """A device's usage over the span by attempt: never more than the device did.

    One holder has all of it; several have what was told of each, and the rest in proportion to what they hold.
    Time that nobody held leaves its part with the system.
    """
    found: dict[str, int] = {}
    for part in sharers.parts(span):
        for attempt, q in _shares(track.within(part, capacity), sharers, part):
            found[attempt] = found.get(attempt, 0) + q
    return found


def _shares(whole: int, sharers: Sharers, part: Interval) -> Iterator[tuple[str, int]]:
    holders = sharers.during(part)
    told = sharers.told_during(part) if len({h.attempt for h in holders}) != 1 else {}
    silent = [h for h in holders if h.attempt not in told]
    keys = sorted(told)
    if sum(told.values()) > whole:
        yield from zip(keys, hamilton(whole, [told[key] for key in keys]), strict=True)
        return
    yield from ((key, told[key]) for key in keys)
    if silent:
        shares = hamilton(whole - sum(told.values()), [h.amount for h in silent])
        yield from zip([h.attempt for h in silent], shares, strict=True)
