"""Integrals over spans, and arithmetic on spans. Pure, exact, independent of order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from alldata.kernel.intervals import Interval


@dataclass(frozen=True, slots=True)
class Piece:
    """An integral over a span, spread evenly over it."""

    span: Interval
    q: int


def clipped(piece: Piece, span: Interval) -> int:
    """The part of a piece inside the span; cuts of a piece sum to the whole piece."""
    length = piece.span.length_ms
    first = min(max(span.start_ms - piece.span.start_ms, 0), length)
    last = min(max(span.end_ms - piece.span.start_ms, 0), length)
    return piece.q * last // length - piece.q * first // length


def clamped(piece: Piece, capacity: int) -> Piece:
    """The piece with no more than the capacity could do."""
    return Piece(piece.span, min(piece.q, capacity * piece.span.length_ms))


def overlap(a: Interval, b: Interval) -> Interval | None:
    """What two spans share, if anything."""
    start, end = max(a.start_ms, b.start_ms), min(a.end_ms, b.end_ms)
    return Interval(start, end) if start < end else None


def merged(spans: Iterable[Interval]) -> list[Interval]:
    """The same time as disjoint spans in order."""
    found: list[Interval] = []
    for span in sorted(spans):
        if found and span.start_ms <= found[-1].end_ms:
            found[-1] = Interval(found[-1].start_ms, max(found[-1].end_ms, span.end_ms))
        else:
            found.append(span)
    return found


def covered_ms(spans: Iterable[Interval], within: Interval) -> int:
    """How much of `within` the spans cover, each moment once."""
    return sum(span.overlap_ms(within) for span in merged(spans))


def resolved(windows: Sequence[tuple[tuple[str, int], Interval]]) -> list[list[Interval]]:
    """What each window keeps when windows overlap: the higher (epoch, seq) wins, whatever the order."""
    kept: list[list[Interval]] = [[] for _ in windows]
    taken: list[Interval] = []
    for index in sorted(range(len(windows)), key=lambda i: windows[i], reverse=True):
        span = windows[index][1]
        kept[index] = gaps([t for t in taken if t.overlap_ms(span)], span) if taken else [span]
        taken = _with(taken, span)
    return kept


def _with(taken: list[Interval], span: Interval) -> list[Interval]:
    """Windows arrive newest first, so growing the earliest span downwards is the common case."""
    if taken and span.end_ms == taken[0].start_ms:
        return [Interval(span.start_ms, taken[0].end_ms), *taken[1:]]
    return merged([*taken, span])


def gaps(spans: Iterable[Interval], within: Interval) -> list[Interval]:
    """The parts of `within` that no span covers."""
    found, at = [], within.start_ms
    for span in merged(spans):
        if at < min(span.start_ms, within.end_ms):
            found.append(Interval(at, min(span.start_ms, within.end_ms)))
        at = max(at, span.end_ms)
    if at < within.end_ms:
        found.append(Interval(at, within.end_ms))
    return found


def bridged(windows: Iterable[Interval]) -> list[Interval]:
    """Known time: gaps of at most two window lengths hold the last value, longer ones are gaps."""
    found: list[Interval] = []
    last_ms = 0
    for window in sorted(windows):
        if found and window.start_ms - found[-1].end_ms <= 2 * last_ms:
            found[-1] = Interval(found[-1].start_ms, max(found[-1].end_ms, window.end_ms))
        else:
            found.append(window)
        last_ms = window.length_ms
    return found
