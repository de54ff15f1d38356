"""What did a whole device do, window by window, and whose was it? Pure.

A track is one capability of one device as disjoint windows in order; sums over any span are
exact integers, and cutting a span loses nothing. A device's usage is divided between those who
held it, never copied.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import sub

from alldata.kernel.intervals import Interval
from alldata.kernel.money import hamilton
from costing.rating.buckets import Holding
from costing.rating.spans import Piece, clamped, clipped, merged


@dataclass(slots=True)
class Track:
    """Windows [starts[k], ends[k]) with the integral q[k]; disjoint, in order."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    q: list[int] = field(default_factory=list)
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
        """When the device was watched."""
        if self._known is None:
            self._known = merged(Interval(start, end) for start, end in zip(self.starts, self.ends, strict=True))
        return self._known

    def beside(self, q: list[int]) -> "Track":
        """Another capability that was watched at the very same times."""
        return Track(self.starts, self.ends, q, self.known(), self._shortest_ms)


def divided(track: Track, holdings: Sequence[Holding], span: Interval, capacity: int) -> dict[str, int]:
    """A device's usage over the span by attempt, in proportion to what was held at each moment.

    Time that nobody held leaves its part with the system.
    """
    found: dict[str, int] = {}
    ordered = sorted(holdings, key=lambda h: (h.attempt, h.span, h.amount))
    for part in _segments(ordered, span):
        holders = [h for h in ordered if h.span.start_ms <= part.start_ms and h.span.end_ms >= part.end_ms]
        if holders:
            shares = hamilton(track.within(part, capacity), [h.amount for h in holders])
            for holding, q in zip(holders, shares, strict=True):
                found[holding.attempt] = found.get(holding.attempt, 0) + q
    return found


def _segments(holdings: Sequence[Holding], span: Interval) -> Iterator[Interval]:
    """The span cut wherever someone begins or ceases to hold."""
    cuts = {span.start_ms, span.end_ms}
    for holding in holdings:
        cuts.update(at for at in (holding.span.start_ms, holding.span.end_ms) if span.start_ms < at < span.end_ms)
    for start_ms, end_ms in pairwise(sorted(cuts)):
        yield Interval(start_ms, end_ms)
