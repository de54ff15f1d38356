"""Where does each part of a whole stand as a tile? Areas follow the amounts, and tiles stay near to squares.

The squarified layout of Bruls, Huizing and van Wijk: a row takes parts as long as its worst tile gets no thinner.
"""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 1000.0, 260.0


@dataclass(frozen=True, slots=True)
class Tile:
    """A part's place in a box of WIDTH x HEIGHT; `index` is its place in the input."""

    index: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class _Box:
    x: float
    y: float
    width: float
    height: float


def tiles(amounts: Sequence[int], width: float = WIDTH, height: float = HEIGHT) -> list[Tile]:
    """One tile an amount above zero, largest first; together they fill the box exactly."""
    line = sorted(((amount, index) for index, amount in enumerate(amounts) if amount > 0), key=lambda p: (-p[0], p[1]))
    whole = sum(amount for amount, _ in line)
    areas = [(amount / whole * width * height, index) for amount, index in line]
    box, found = _Box(0.0, 0.0, width, height), list[Tile]()
    while areas:
        count = _row_length([area for area, _ in areas], min(box.width, box.height))
        box = _lay(areas[:count], box, found, last=count == len(areas))
        areas = areas[count:]
    return found


def _row_length(areas: Sequence[float], side: float) -> int:
    """How many parts the next row takes."""
    count = 1
    while count < len(areas) and _worst(areas[: count + 1], side) <= _worst(areas[:count], side):
        count += 1
    return count


def _worst(row: Sequence[float], side: float) -> float:
    """The thinnest tile's ratio of its sides."""
    total = sum(row)
    return max(side * side * max(row) / (total * total), total * total / (side * side * min(row)))


def _lay(row: Sequence[tuple[float, int]], box: _Box, into: list[Tile], *, last: bool) -> _Box:
    """Put one row along the shorter side; what is left of the box."""
    total = sum(area for area, _ in row)
    wide = box.width >= box.height
    depth = (box.width if wide else box.height) if last else total / (box.height if wide else box.width)
    at = box.y if wide else box.x
    for area, index in row:
        length = area / depth
        into.append(Tile(index, box.x, at, depth, length) if wide else Tile(index, at, box.y, length, depth))
        at += length
    if wide:
        return _Box(box.x + depth, box.y, box.width - depth, box.height)
    return _Box(box.x, box.y + depth, box.width, box.height - depth)
