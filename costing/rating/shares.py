"""How does an hour's money spread over the intervals inside it? By quantity, and the parts sum to the hour. Pure.

The ledger is kept by the hour and rounded there once; within the hour nothing is booked. Used money
follows what was used, money for what was held and not used follows what each interval left over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.kernel.money import hamilton
from costing.rating.spans import Piece, clipped, gaps


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one device gave an attempt during a span inside one hour; `q` None: nobody measured it."""

    span: Interval
    device: str
    held_q: int
    q: int | None
    quality: str = "missing"
    source: str = ""

    @property
    def hour_ms(self) -> int:
        """The UTC hour it lies in."""
        return self.span.start_ms // HOUR_MS * HOUR_MS


@dataclass(frozen=True, slots=True)
class Share:
    """A stretch and its part of the hour's money; None: the hour is not booked yet."""

    stretch: Stretch
    used_nano: int | None
    idle_nano: int | None


def stretches(held: Interval, amount: int, device: str, known: Sequence[tuple[Piece, str, str]]) -> list[Stretch]:
    """A claim cut where what is known changes and at UTC hours. `known`: (piece, quality, source), disjoint."""
    found = []
    for piece, quality, source in known:
        if piece.span.overlap_ms(held):
            inside = Interval(max(piece.span.start_ms, held.start_ms), min(piece.span.end_ms, held.end_ms))
            for part in inside.hours():
                q = clipped(piece, part)
                found.append(Stretch(part, device, amount * part.length_ms, q, quality, source))
    for gap in gaps([piece.span for piece, _, _ in known], held):
        found += [Stretch(part, device, amount * part.length_ms, None) for part in gap.hours()]
    return sorted(found, key=lambda s: s.span)


def shares(found: Sequence[Stretch], hours: Mapping[int, tuple[int, int]]) -> list[Share]:
    """The stretches with their money. `hours`: UTC hour -> (used nano, nano held and not used)."""
    by_hour: dict[int, list[Stretch]] = {}
    for stretch in found:
        by_hour.setdefault(stretch.hour_ms, []).append(stretch)
    answer = []
    for hour, inside in sorted(by_hour.items()):
        if hour not in hours:
            answer += [Share(stretch, None, None) for stretch in inside]
            continue
        used, idle = hours[hour]
        used_parts = hamilton(used, [stretch.q or 0 for stretch in inside])
        idle_parts = hamilton(idle, [max(0, stretch.held_q - (stretch.q or 0)) for stretch in inside])
        answer += [Share(*three) for three in zip(inside, used_parts, idle_parts, strict=True)]
    return answer
