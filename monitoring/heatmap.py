"""How full is every capability of every device? A grid ready to be drawn. Pure.

Cells are one byte: 0..100 percent, 255 missing, 254 where a device has no such capability
(selectors/livemap.py). A second bitmap marks values that are not
measured (proxy, estimated), which pages hatch. Columns are devices grouped by node, rows are
capabilities in the order of the vocabulary; a cell that cannot exist is missing too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from profiles.dimensions import DIMENSIONS

MISSING, ABSENT = 255, 254  # no value; no such cell
ORDER = {dimension.name: index for index, dimension in enumerate(DIMENSIONS)}


class Cell(Protocol):
    """What the grid is made of (monitoring.selectors.live.LiveValue)."""

    @property
    def node(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def dimension(self) -> str: ...
    @property
    def percent(self) -> float | None: ...
    @property
    def quality(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring columns of one node: [first, first + count)."""

    node: str
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Grid:
    """`cells` holds one byte a cell, row by row; `proxy` one bit a cell, most significant first."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    groups: tuple[Group, ...]
    cells: bytes
    proxy: bytes

    def at(self, row: int, column: int) -> int:
        """The byte of one cell."""
        return self.cells[row * len(self.columns) + column]


def build_grid(values: Iterable[Cell]) -> Grid:
    """The grid of live values, the same whatever their order."""
    kept = list(values)
    columns = sorted({(v.node, v.device) for v in kept})
    rows = sorted({v.dimension for v in kept}, key=lambda name: (ORDER.get(name, len(ORDER)), name))
    column_of = {device: index for index, (_, device) in enumerate(columns)}
    row_of = {name: index for index, name in enumerate(rows)}
    cells = bytearray([MISSING]) * (len(rows) * len(columns))
    proxy = bytearray((len(cells) + 7) // 8)
    for value in kept:
        if value.percent is None:
            continue
        spot = row_of[value.dimension] * len(columns) + column_of[value.device]
        cells[spot] = percent_byte(value.percent)
        if value.quality != "measured":
            proxy[spot // 8] |= 0x80 >> spot % 8
    devices = tuple(device for _, device in columns)
    return Grid(tuple(rows), devices, _groups([node for node, _ in columns]), bytes(cells), bytes(proxy))


def percent_byte(percent: float) -> int:
    """0..100, half up; anything above full is drawn as full."""
    return max(0, min(100, int(percent + 0.5)))


def _groups(nodes: Sequence[str]) -> tuple[Group, ...]:
    found: list[Group] = []
    for index, node in enumerate(nodes):
        if found and found[-1].node == node:
            found[-1] = Group(node, found[-1].first, found[-1].count + 1)
        else:
            found.append(Group(node, index, 1))
    return tuple(found)
