"""The cluster as arrays, kept from decision to decision.

`Board` holds what is free on every usable node and, for each shape of request, the score of
every node. Equal requests share a shape; scores are renewed only where something changed
(decide.py, plain.py). What the picks mean for people is written down by planner.py.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from scheduling.crater import decide, near, scoring
from scheduling.crater.arrays import C_KIND, W_UNITS, Arrays
from scheduling.crater.compiled import FAST
from scheduling.crater.fleet import CORES as CORE_NUMBERS
from scheduling.crater.fleet import GPU, Fleet, NodeClass
from scheduling.crater.kernels import (
    CLASS,
    CORES,
    NEVER,
    S_DEVICE,
    S_LEVEL,
    S_NEED,
    S_TAKE,
    S_TAKES,
    SPARE,
    T_AMOUNT,
    T_COLUMN,
    WORTH,
    Ints,
)
from scheduling.crater.layout import arrays
from scheduling.crater.market import Market
from scheduling.crater.model import Pick, Request
from scheduling.crater.paths import CARRIED
from scheduling.crater.plain import Plain, Taken, python
from scheduling.crater.programs import could_serve, level_asked, slot_of, variants
from scheduling.crater.tables import Tables, free_column

#: Best fit in micro-GPU for a whole node left unused (cores, GPUs): jobs with GPUs, jobs without.
FIT_GPU, FIT_PLAIN = (10_000, 10_000), (10_000, 40_000)

Slots = tuple[int, ...]
Figures = tuple[int, int, int]  # score, best-fit part, penalty for crossing


class Board:
    """Free amounts and scores; `fast` False works without machine code, to the same result."""

    def __init__(self, grid: Fleet, trade: Market, *, fast: bool = FAST) -> None:
        self.grid, self.fast = grid, fast
        self.tables = Tables(grid)
        self.arrays: Arrays = arrays(grid, trade, self.tables)
        self.plain = None if fast else Plain(self.arrays, free_column(grid))
        self.near: dict[int, near.Kept] = {}

    def shape(self, request: Request, adjust: Sequence[int]) -> int:
        """Compile a request; `adjust` is the constant part of the score on each class, NEVER for none."""
        levels, found = 0, []
        for position, group in enumerate(self.grid.classes):
            found.append(list(variants(request, group)) if adjust[position] != NEVER else [])
            if found[-1] and not levels:
                levels = levels_of(request, group)
        number = self.tables.open(adjust, (*(FIT_GPU if levels else FIT_PLAIN), levels))
        for position, options in enumerate(found):
            self.tables.compile(number, position, options)
        self._renew()
        if self.plain is None:
            scoring.refresh(self.arrays, number)
        else:
            self.plain.refresh(number)
        return number

    def choose(self, shape: int) -> int:
        """Row of the best node for the shape; -1 when it fits nowhere."""
        return int(decide.choose(self.arrays, shape)) if self.plain is None else self.plain.choose(shape)

    def take(self, shape: int, node: int) -> Taken:
        """Book the shape's best devices on the node: the rows of their slots, and the parts of the score."""
        if self.plain is not None:
            return self.plain.take(shape, node)
        parts = decide.take(self.arrays, shape, node)
        picks = self.arrays.picks
        return tuple(picks[1 : 1 + picks[0]].tolist()), parts

    def move(self, node: int, slots: Slots, sign: int) -> None:
        """Book the slots' amounts on the node (-1), or give them back (1)."""
        if self.plain is not None:
            self.plain.move(node, slots, sign)
        else:
            decide.move(self.arrays, node, np.array(slots, dtype=np.int64), sign)

    def place(self, shape: int) -> tuple[int, Slots, Figures]:
        """Choose and take in one: the node (-1: none), the rows of its slots, the parts of the score."""
        if self.plain is not None:
            node = self.plain.choose(shape)
            return (node, *self.plain.take(shape, node)) if node >= 0 else (node, (), (0, 0, 0))
        node, *parts = decide.place(self.arrays, shape)
        picks = self.arrays.picks
        return node, tuple(picks[1 : 1 + picks[0]].tolist()), (parts[0], parts[1], parts[2])

    def dearness(self, shape: int, position: int) -> int:
        """What a class's kind of GPU costs the shape now, beyond its worth (micro-GPU)."""
        a = self.arrays
        units, kind = int(a.shapes[shape, W_UNITS]), int(a.classes[position, C_KIND])
        if units == 0 or a.scarcity[kind] == 0:
            return 0
        own, whole = a.kinds[kind].tolist(), a.kinds.sum(axis=0).tolist()
        return int(python(decide.dearness)(own, whole, float(a.scarcity[kind]), units))

    def nearest(self, shape: int) -> int:
        """Row of the node that lacks least, -1 when no machine would ever do."""
        find = near.nearest if self.plain is None else python(near.nearest)
        return int(find(self.arrays, shape, self._distances(shape)))

    def by_distance(self, shape: int, most: int) -> list[int]:
        """The rows that lack least, nearest first."""
        self.nearest(shape)
        rows: list[int] = np.argsort(self._distances(shape)[0], kind="stable")[:most].tolist()
        return rows

    def _distances(self, shape: int) -> near.Kept:
        if shape not in self.near:
            self.near[shape] = near.fresh(len(self.grid.nodes), self.arrays.best.shape[1])
        return self.near[shape]

    def stream(self, shapes: Ints) -> Ints:
        """Place one shape after the other; the rows of their nodes, -1 where nothing fitted."""
        nodes = np.full(len(shapes), -1, dtype=np.int64)
        if self.plain is None:
            decide.stream(self.arrays, shapes, nodes)
            return nodes
        for i, shape in enumerate(shapes.tolist()):
            nodes[i] = self.choose(shape)
            if nodes[i] >= 0:
                self.plain.take(shape, int(nodes[i]))
        return nodes

    def choose_beside(self, shape: int, avoided: Sequence[int], otherwise: int) -> int:
        """The best node that is not to be avoided, or `otherwise`; looks at all nodes."""
        a = self.arrays
        dear = np.array([self.dearness(shape, position) for position in range(len(self.grid.classes))])
        total = a.scores[shape] + (a.adjust[shape] - dear)[a.nodes[:, CLASS]]
        fits = (a.scores[shape] > NEVER) & (a.adjust[shape] > NEVER)[a.nodes[:, CLASS]]
        fits[list(avoided)] = False
        rows = np.flatnonzero(fits)
        return int(min(rows, key=lambda row: (-total[row], a.rank[row]), default=otherwise))

    def fitting(self, shape: int) -> int:
        """On how many nodes the shape fitted when it was last asked for."""
        return int(np.count_nonzero(self.arrays.scores[shape] > NEVER))

    def free(self, row: int) -> list[int]:
        """The node's free amounts by column of its class."""
        values: list[int] = self.arrays.nodes[row, self.tables.offset :].tolist()
        return values

    def state_key(self, row: int) -> bytes:
        """Equal for nodes of one class in one state."""
        own = self.arrays.nodes[row]
        return bytes(own[CLASS].tobytes() + own[self.tables.offset :].tobytes())

    def improvise(self, position: int, picks: Sequence[tuple[int, Pick]]) -> Slots:
        """Slots for picks that were found by searching; each pick with its device's position."""
        group = self.grid.classes[position]
        slots = self.tables.improvise([slot_of(group, at, pick.amounts) for at, pick in picks])
        self._renew()
        return slots

    def try_out(self, row: int, slots: Slots) -> tuple[int, int]:
        """(score, best-fit part) of taking the slots, with the node left as it was."""
        a, own = self.arrays, self.arrays.nodes[row]
        before, gpus = own[WORTH], any(a.code[slot, S_LEVEL] >= 0 for slot in slots)
        state = a.last[-1], a.last[row], a.freed[row]
        decide.move(a, row, np.array(slots, dtype=np.int64), -1)
        weights = FIT_GPU if gpus else FIT_PLAIN
        cost = int(weights[0] * own[CORES] // a.most[0] + weights[1] * own[SPARE] // a.most[1])
        score = int(own[WORTH] - before) - cost
        decide.move(a, row, np.array(slots, dtype=np.int64), 1)
        a.last[-1], a.last[row], a.freed[row] = state
        return score, cost

    def picks_of(self, group: NodeClass, slots: Slots) -> tuple[tuple[int, Pick], ...]:
        """(device position, pick with the sample's names) of each slot, in the order of the needs."""
        code, found, links = self.arrays.code, [], Counter[int]()
        for slot in sorted(slots, key=lambda slot: (code[slot, S_NEED], slot)):
            at, first = int(code[slot, S_DEVICE]), code[slot, S_TAKE]
            rows = code[first : first + code[slot, S_TAKES]].tolist()
            named = [(*group.columns[row[T_COLUMN] - self.tables.offset], row[T_AMOUNT]) for row in rows]
            links.update({place: amount for place, _, amount in named if place != at})
            device = group.sample.devices[at]
            amounts = {name: amount for place, name, amount in named if amount and place == at}
            cpus = tuple(range(amounts.pop(CORE_NUMBERS, 0)))  # how many; which ones is the planner's matter
            found.append((at, Pick(device.uuid, device.type, amounts, cpus, device.numa_node)))
        for at in sorted(links):  # positions of links that the picks' traffic crosses
            link = group.sample.devices[at]
            found.append((at, Pick(link.uuid, link.type, {CARRIED: links[at]}, (), link.numa_node)))
        return tuple(found)

    def forget(self) -> None:
        """Drop all shapes; what is held stays held."""
        self.tables.forget()
        self.near.clear()
        if self.plain is not None:
            self.plain.forget()

    def _renew(self) -> None:
        self.arrays = self.arrays._replace(**self.tables.fields())
        if self.plain is not None:
            self.plain.arrays = self.arrays


def levels_of(request: Request, group: NodeClass) -> int:
    """Hundredths of GPUs that the request takes from a node of the class."""
    sample = [group.sample.devices[i] for i in group.gpus]
    gpus = [need for need in request.needs if need.type == GPU]
    return sum(max(level_asked(need, d) for d in sample if could_serve(need, d)) * need.count for need in gpus)
