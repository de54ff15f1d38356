"""The cluster as arrays, kept from decision to decision.

`Board` holds what is free on every usable node and, for each shape of request, the score of
every node. Equal requests share a shape; scores are renewed only where something changed
(decide.py, plain.py). What the picks mean for people is written down by planner.py.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from scheduling.crater import decide, near, scoring
from scheduling.crater.arrays import RANKED, Arrays
from scheduling.crater.census import census
from scheduling.crater.compiled import FAST
from scheduling.crater.fleet import CORES as CORE_NUMBERS
from scheduling.crater.fleet import GPU, Fleet, NodeClass, free_row
from scheduling.crater.found import Found, Slots, Survey
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
from scheduling.crater.layout import arrays, free_rows
from scheduling.crater.market import Market
from scheduling.crater.model import Pick, Request
from scheduling.crater.paths import CARRIED
from scheduling.crater.plain import Plain
from scheduling.crater.programs import could_serve, level_asked, slot_of, variants
from scheduling.crater.ranking import Ranked
from scheduling.crater.tables import Tables, free_column

#: Best fit in micro-GPU for a whole node left unused (cores, GPUs): jobs with GPUs, jobs without.
FIT_GPU, FIT_PLAIN = (10_000, 10_000), (10_000, 40_000)
#: How many times a shape is placed before its last refusal is history.
PATIENCE = 1000


class Board:
    """Free amounts and scores; `fast` False works without machine code, to the same result."""

    def __init__(self, grid: Fleet, trade: Market, *, fast: bool = FAST, rows: Ints | None = None) -> None:
        self.grid, self.fast = grid, fast
        self.tables = Tables(grid)
        self.arrays: Arrays = arrays(grid, trade, self.tables, free_rows(grid) if rows is None else rows)
        self.plain = None if fast else Plain(self.arrays, free_column(grid))
        self.near: dict[int, near.Kept] = {}
        self.refused: set[int] = set()
        self.lately: dict[int, int] = {}  # shapes that were refused, and for how many more places that counts
        self.latest: tuple[int, Survey] | None = None  # until something changes
        self.moved: dict[Slots, Ints] = {}

    def shape(self, request: Request, adjust: Sequence[int]) -> int:
        """Compile a request; `adjust` is the constant part of the score on each class, NEVER for none."""
        levels, found = 0, []
        for position, group in enumerate(self.grid.classes):
            found.append(list(variants(request, group)) if adjust[position] != NEVER else [])
            if found[-1] and not levels:
                levels = levels_of(request, group)
        number = self.tables.open(adjust, (*(FIT_GPU if levels else FIT_PLAIN), levels))
        for position, options in enumerate(found):
            counts = census(request, self.grid.classes[position])
            self.tables.compile(number, position, options, counts)
        self._renew()
        if self.plain is None:
            scoring.refresh(self.arrays, number)
        else:
            self.plain.refresh(number)
        return number

    def choose(self, shape: int) -> int:
        """Row of the best node for the shape; -1 when it fits nowhere."""
        return int(decide.choose(self.arrays, shape)) if self.plain is None else self.plain.choose(shape)

    def place(self, shape: int, most: int = RANKED) -> Found | None:
        """Choose and book in one, with `most` candidates; None when it fits nowhere.

        A shape that was refused is surveyed first: where it still fits nowhere, its scores can wait.
        """
        is_known = self.latest is not None and self.latest[0] == shape
        if self.plain is None and shape in self.lately and shape in self.near and not is_known:
            return self._attempt(shape, most)
        if shape in self.refused and not self.survey(shape).totals[near.CAP]:
            return self._settled(shape, None)
        self.latest = None
        if self.plain is not None:
            node = self.plain.choose(shape)
            found = self.plain.book(shape, node, most) if node >= 0 else None
        else:
            found = self._found(decide.place(self.arrays, shape, most))
        return self._settled(shape, found)

    def _attempt(self, shape: int, most: int) -> Found | None:
        """Place a shape that was refused lately; a survey comes with the refusal."""
        self.latest, kept = None, self.near[shape]
        figures, short = near.attempt(self.arrays, shape, kept, shape in self.refused, most)
        found = self._found(figures)
        if found is None:
            self._surveyed(shape, self._ranked(figures[-1]), kept.totals.tolist(), short)
        return self._settled(shape, found)

    def _settled(self, shape: int, found: Found | None) -> Found | None:
        """What was refused may soon be refused again: that is remembered for a while."""
        if found is None:
            self.lately[shape] = PATIENCE
            if self.plain is not None:
                self.plain.surveys.watch(shape)
            return None
        self.refused.discard(shape)
        if shape in self.lately:
            self.lately[shape] -= 1
            if not self.lately[shape]:
                del self.lately[shape]
                if self.plain is not None:
                    self.plain.surveys.unwatch(shape)
        return found

    def book(self, shape: int, node: int, most: int = RANKED) -> Found | None:
        """Book the shape's best devices on the node that was just chosen."""
        self.latest = None
        if self.plain is not None:
            return self.plain.book(shape, node, most)
        return self._found(decide.book(self.arrays, shape, node, most))

    def _found(self, figures: tuple[int, ...]) -> Found | None:
        """What a kernel decided, read from its figures and the scratch."""
        node, score, fit, crossing, scarcity, fitting, count = figures
        if node < 0:
            return None
        picks = self.arrays.picks
        slots = tuple(picks[1 : 1 + picks[0]].tolist())
        return Found(node, slots, score, fit, crossing, scarcity, fitting, self._ranked(count))

    def _ranked(self, count: int) -> Ranked:
        rows, totals = self.arrays.ranked[:, :count].tolist()
        return rows, totals

    def move(self, node: int, slots: Slots, sign: int) -> None:
        """Book the slots' amounts on the node (-1), or give them back (1)."""
        self.latest = None
        if self.plain is not None:
            self.plain.move(node, slots, sign)
            return
        if slots not in self.moved:
            self.moved[slots] = np.array(slots, dtype=np.int64)
        decide.move(self.arrays, node, self.moved[slots], sign)

    def renew(self, grid: Fleet, rows: Sequence[int]) -> None:
        """The same machines with something else free on these rows; only those that differ are noted as changed."""
        self.grid, self.latest, nodes = grid, None, self.arrays.nodes
        changed = []
        for row in rows:
            values = free_row(grid.nodes[row], grid.classes[int(nodes[row, CLASS])].columns)
            own = nodes[row, self.tables.offset : self.tables.offset + len(values)]
            if own.tolist() != values:
                own[:] = values
                changed.append(row)
                if self.plain is not None:
                    self.plain.renew(row)
        if self.plain is None:
            decide.renew(self.arrays, np.array(changed, dtype=np.int64))

    def survey(self, shape: int, most: int = RANKED) -> Survey:
        """How a refused shape stands: the nodes that come nearest, and how many devices each rule turns down."""
        if self.latest is not None and self.latest[0] == shape:
            return self.latest[1]
        if shape not in self.near:
            self.near[shape] = near.fresh(len(self.grid.nodes), self.arrays.best.shape[1])
        kept = self.near[shape]
        if self.plain is not None:
            return self._surveyed(shape, *self.plain.surveys.survey(shape, kept, most))
        count, short = near.survey(self.arrays, shape, kept, most)
        return self._surveyed(shape, self._ranked(count), kept.totals.tolist(), short)

    def _surveyed(self, shape: int, ranked: Ranked, totals: list[int], short: int) -> Survey:
        """The survey that was just made."""
        survey = Survey(*ranked, totals, self.arrays.picks[1 : 1 + short].tolist())
        self.refused.add(shape)
        self.latest = shape, survey
        return survey

    def by_distance(self, shape: int, most: int) -> list[int]:
        """The rows that lack least, nearest first."""
        self.survey(shape)
        rows: list[int] = np.argsort(-self.near[shape].close, kind="stable")[:most].tolist()
        return rows

    def stream(self, shapes: Ints) -> Ints:
        """Place one shape after the other; the rows of their nodes, -1 where nothing fitted."""
        nodes = np.full(len(shapes), -1, dtype=np.int64)
        if self.plain is None:
            decide.stream(self.arrays, shapes, nodes)
            return nodes
        for i, shape in enumerate(shapes.tolist()):
            nodes[i] = self.choose(shape)
            if nodes[i] >= 0:
                self.plain.book(shape, int(nodes[i]), 0)
        return nodes

    def choose_beside(self, shape: int, avoided: Sequence[int], otherwise: int) -> int:
        """The best node that is not to be avoided, or `otherwise`, which was chosen before; looks at all nodes."""
        a = self.arrays
        points = a.points[a.nodes[:, CLASS]]
        total, fits = a.scores[shape] + points, (a.scores[shape] > NEVER) & (points > NEVER)
        fits[list(avoided)] = False
        rows = np.flatnonzero(fits)
        return int(min(rows, key=lambda row: (-total[row], a.rank[row]), default=otherwise))

    def candidates(self, shape: int) -> tuple[Ints, Ints]:
        """(rows, totals) of all nodes where the shape fits."""
        self.choose(shape)
        a = self.arrays
        points = a.points[a.nodes[:, CLASS]]
        rows = np.flatnonzero((a.scores[shape] > NEVER) & (points > NEVER))
        return rows, a.scores[shape][rows].astype(np.int64) + points[rows]

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
        self.refused.clear()
        self.lately.clear()
        self.latest = None
        self.moved.clear()
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
