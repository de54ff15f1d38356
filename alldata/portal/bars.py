"""Where does each part of a stacked bar stand? Percent across, pixels up, from zero; nothing is cut off."""

from collections.abc import Sequence
from dataclasses import dataclass

HEIGHT, FOOT, HEAD = 150, 20, 8
MOST_LABELS = 8


@dataclass(frozen=True, slots=True)
class Segment:
    """One part: a capability's or a bucket's class, and what it is worth."""

    kind: str
    nano: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Column:
    """One span of time."""

    x: float
    width: float
    middle: float
    label: str
    provisional: bool
    segments: tuple[Segment, ...]
    top: float
    labelled: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """All columns, and the amount at the top of the axis."""

    columns: tuple[Column, ...]
    most_nano: int
    height: int = HEIGHT + FOOT + HEAD
    floor: int = HEIGHT + HEAD


@dataclass(frozen=True, slots=True)
class Pile:
    """What one column is made of, lowest first."""

    label: str
    parts: tuple[tuple[str, int], ...]
    provisional: bool = False


def chart_of(piles: Sequence[Pile]) -> Chart:
    """The picture of some piles, in their order."""
    most = max((sum(nano for _kind, nano in pile.parts) for pile in piles), default=0)
    step = 100 / max(1, len(piles))
    every = -(-len(piles) // MOST_LABELS)
    columns = []
    for index, pile in enumerate(piles):
        segments, at = [], float(HEIGHT + HEAD)
        for kind, nano in pile.parts:
            height = HEIGHT * nano / most if most else 0.0
            at -= height
            segments.append(Segment(kind, nano, round(at, 2), round(height, 2)))
        width = min(step * 0.86, 8.0)
        left = round(index * step + (step - width) / 2, 3)
        box = left, round(width, 3), round(left + width / 2, 3)
        columns.append(Column(*box, pile.label, pile.provisional, tuple(segments), at, index % every == 0))
    return Chart(tuple(columns), most)
