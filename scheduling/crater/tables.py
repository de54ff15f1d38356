"""The compiled requests: programs, their rows, and the score cache of each shape."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scheduling.crater.arrays import BLOCK
from scheduling.crater.census import Count
from scheduling.crater.fleet import Fleet
from scheduling.crater.kernels import LEVELS, N_GPU, NEVER, S_TAKE, T_ENOUGH, WIDTH, Ints
from scheduling.crater.programs import Ask, Slot, Variant
from scheduling.crater.rows import Rows

WHOLE = 1_000_000  # a device in the parts that near.py counts in


class Tables:
    """The growing tables behind Arrays: one entry for each compiled request."""

    def __init__(self, grid: Fleet) -> None:
        nodes, classes = len(grid.nodes), max(1, len(grid.classes))
        self.code, self.offset = Rows(WIDTH), free_column(grid)
        self.shares = np.zeros(len(self.code.array))
        self.programs: Ints = np.zeros((16, classes, 5), dtype=np.int64)
        self.shapes: Ints = np.zeros((16, 5), dtype=np.int64)
        self.adjust: Ints = np.zeros((16, classes), dtype=np.int64)
        blocks = sum(-(-len(c.names) // BLOCK) for c in grid.classes)
        self.scores = np.full((16, max(1, nodes)), NEVER, dtype=np.int32)
        self.best = np.full((16, max(1, blocks)), NEVER, dtype=np.int32)
        self.used = 0

    def open(self, adjust: Sequence[int], units: tuple[int, int, int]) -> int:
        """A number for one more shape, with its constant scores by class and its weights (Arrays.shapes)."""
        if self.used == len(self.shapes):
            for name in ("programs", "shapes", "adjust", "scores", "best"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros_like(old)]))
        number = self.used
        self.adjust[number], self.shapes[number] = adjust, (*units, -1, 0)
        self.used += 1
        return number

    def fields(self) -> dict[str, Any]:
        """The tables as fields of Arrays."""
        names = ("programs", "shapes", "adjust", "scores", "best")
        return {"code": self.code.array, "shares": self.shares} | {name: getattr(self, name) for name in names}

    def compile(self, number: int, position: int, found: Sequence[Variant], counts: Sequence[Count]) -> None:
        """Write one shape on one class: its variants (takes, slots, needs, then variants) and its census."""
        made = []
        for variant in found:
            slots = [self._all([self._slot(slot, ask.need) for slot in ask.slots]) for ask in variant.asks]
            needs = [self._need(a, first, variant.is_shared) for a, first in zip(variant.asks, slots, strict=True)]
            first = self._all(needs)
            cards = next((first + i for i, need in enumerate(needs) if need[N_GPU]), -1)
            made.append((first, len(needs), variant.penalty, int(variant.is_shared), cards))
        first = self._all(made)
        slots = [self._counted(count) for count in counts]
        census = self._all([_census(c, at) for c, at in zip(counts, slots, strict=True)])
        whole = len(found) == 1 and all(len(a.slots) == counts[a.need].fine for a in found[0].asks)
        self.programs[number, position] = first, len(found), census, len(counts), whole

    def _all(self, rows: Sequence[tuple[int, ...]]) -> int:
        """Append rows; the number of the first."""
        first = self.code.used
        for row in rows:
            self.code.add((*row, *(0,) * (WIDTH - len(row))))
        return first

    def _counted(self, count: Count) -> int:
        """The slots of a census: their takes say what would do, were the card shared (1 more; 0: it is)."""
        rows = []
        for slot, enough in zip(count.ask.slots, count.enough, strict=True):
            rows.append(self._slot(slot, count.ask.need))
            self.code.array[rows[-1][S_TAKE] : rows[-1][S_TAKE] + len(enough), T_ENOUGH] = [n + 1 for n in enough]
        return self._all(rows)

    def _need(self, ask: Ask, first: int, is_shared: bool) -> tuple[int, ...]:
        gpu = any(slot.gpu >= 0 for slot in ask.slots)
        alike = len({tuple(take[1:] for take in slot.takes) for slot in ask.slots}) == 1
        return ask.count, first, len(ask.slots), int(gpu), int(alike), int(is_shared)

    def _slot(self, slot: Slot, need: int) -> tuple[int, ...]:
        takes = [(self.offset + column, amount, capacity) for column, amount, capacity in slot.takes]
        level = LEVELS + slot.gpu if slot.gpu >= 0 else -1
        first = self._all(takes)
        if len(self.shares) < len(self.code.array):
            self.shares = np.concatenate([self.shares, np.zeros(len(self.code.array) - len(self.shares))])
        self.shares[first : first + len(takes)] = [(WHOLE - 1) / max(1, amount) for _, amount, _ in takes]
        return slot.device, level, slot.millicores, first, len(takes), need, slot.bytes

    def improvise(self, slots: Sequence[Slot]) -> tuple[int, ...]:
        """Rows for slots that no compiled request has, in the order of the needs."""
        return tuple(self._all([self._slot(slot, order)]) for order, slot in enumerate(slots))

    def forget(self) -> None:
        """Drop all shapes; rows that placements still refer to stay."""
        self.used = 0


def _census(count: Count, first: int) -> tuple[int, ...]:
    """A row of near.py: N_COUNT, N_SLOT, C_FINE, C_SLOTS, C_RULES, C_HELD."""
    return count.ask.count, first, count.fine, len(count.ask.slots), count.packed, int(count.is_held)


def free_column(grid: Fleet) -> int:
    """Where the free amounts begin in a node's row."""
    return LEVELS + max((len(c.gpus) for c in grid.classes), default=0)
