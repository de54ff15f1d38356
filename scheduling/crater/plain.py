"""The same decisions without machine code: scores in batches, and never twice for one state.

Where few nodes changed, or states come back, each (shape, state of a node) is looked up in what is
known already; else they are scored at once in NumPy (batch.py). Used where numba is not installed.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from scheduling.crater import batch, scoring
from scheduling.crater.arrays import C_KIND, C_START, P_VARIANTS, W_CORES, W_GPUS, W_UNITS, Arrays
from scheduling.crater.changes import Changes
from scheduling.crater.columns import Program, program
from scheduling.crater.compiled import elements, python
from scheduling.crater.decide import DEAREST
from scheduling.crater.found import Found, Slots
from scheduling.crater.kernels import FULL, HUGE, NEVER, S_TAKE, S_TAKES, V_PENALTY, Ints, Small, fill
from scheduling.crater.ranking import Blocks, Ranked, led
from scheduling.crater.states import States
from scheduling.crater.surveys import Surveys

#: Changed nodes up to which states are looked up one by one though they seldom come back.
FEW = 48
#: Answers remembered before starting over: bounds the memory of a long life.
MOST_KNOWN = 400_000

Taken = tuple[Slots, int, int, int]  # slots; score, best-fit part, penalty


class Plain:
    """Scores by state; `arrays` is the same as for the kernels, but changes are noted here."""

    def __init__(self, arrays: Arrays, offset: int) -> None:
        self.arrays, self.blocks, self.states = arrays, Blocks(arrays), States(arrays, offset)
        self.changes, self.surveys, self.era = Changes(arrays.freed), Surveys(self), 0
        self.starts: list[int] = arrays.classes[:, C_START].tolist()
        self.kind_of: list[int] = arrays.classes[:, C_KIND].tolist()
        self.kinds: list[list[int]] = arrays.kinds.tolist()
        total = max(1, sum([own for own, _ in self.kinds]))
        self.shares = [own / total for own, _ in self.kinds]
        self.scarcity: list[float] = arrays.scarcity.tolist()
        self.moves: dict[Slots, tuple[Ints, Ints]] = {}
        self.forget()

    def forget(self) -> None:
        """Drop what is known of all shapes."""
        self.surveys.forget()
        self.seen: dict[int, int] = {}
        self.programs: dict[tuple[int, int], Program] = {}
        self._forget_answers()

    def _forget_answers(self) -> None:
        self.known: dict[int, dict[int, int]] = {}
        self.picked: dict[tuple[int, int], Taken] = {}
        self.answers = 0

    def refresh(self, shape: int) -> None:
        """Renew the scores of the nodes that changed since the shape was last asked for."""
        if self.answers > MOST_KNOWN:
            self._forget_answers()
        since = self.seen.get(shape, -1)
        few = self.changes.few(since) if since >= 0 else None
        if few is None:
            self._catch_up(shape, since)
        else:
            self._look_up(shape, few, since)
        self.seen[shape] = self.changes.now

    def _catch_up(self, shape: int, since: int) -> None:
        """Renew the scores where much changed, or nothing is known yet."""
        dirty, scores = self.changes.since(since), self.arrays.scores[shape]
        if dirty is None:
            first, inverse = self.states.distinct()
            scores[:] = self._scores(shape, first)[inverse]
            return
        # what did not fit before more was taken does not fit now
        nodes = dirty[(scores[dirty] > NEVER) | (self.changes.freed[dirty] >= since)]
        if self.states.repeat or len(nodes) <= FEW:
            self._look_up(shape, nodes.tolist(), since)
        else:
            scores[nodes] = self._scores(shape, nodes)

    def _look_up(self, shape: int, nodes: Iterable[int], since: int) -> None:
        """Renew scores by state; states that were never met are evaluated."""
        known, of, scores = self.known.setdefault(shape, {}), self.states.of, self.arrays.scores[shape].data
        late = []
        for node in nodes:
            score = known.get(of[node])
            if score is not None:
                scores[node] = score
            elif scores[node] > NEVER or self.changes.at[node] >= since:
                late.append(node)
        if late:
            new = {of[node]: node for node in late}
            known.update(zip(new, self._scored(shape, list(new.values())), strict=True))
            self.answers += len(new)
            for node in late:
                scores[node] = known[of[node]]

    def _scored(self, shape: int, nodes: list[int]) -> list[int]:
        """As `_scores`, of few nodes."""
        classes, found = self.states.classes, dict[int, int]()
        for table in {classes[node] for node in nodes}:
            own = [node for node in nodes if classes[node] == table]
            found.update(zip(own, self._of_class(shape, table, np.array(own)).tolist(), strict=True))
        return [found[node] for node in nodes]

    def _scores(self, shape: int, nodes: Ints) -> Ints:
        """The score of each node, worked out anew."""
        tables, found = self.blocks.class_of[nodes], np.empty(len(nodes), dtype=np.int64)
        for table in set(tables.tolist()):
            at = (tables == table).nonzero()[0]
            found[at] = self._of_class(shape, table, nodes[at])
        return found

    def _of_class(self, shape: int, table: int, nodes: Ints) -> Ints:
        """As `_scores`, of nodes of one class."""
        a = self.arrays
        if a.programs[shape, table, P_VARIANTS] == 0:
            return np.full(len(nodes), NEVER)
        program = self.program(shape, table)
        if len(nodes) <= program.few or program.is_shared:
            return np.array([self._taken(shape, node, table)[1] for node in nodes.tolist()])
        return batch.scores(a.nodes[nodes], a.book[table], program, self._weights(shape))

    def _evaluate(self, shape: int, node: int) -> tuple[int, int, int]:
        """As scoring.evaluate: (score, variant, best-fit part), by the very kernel."""
        a = self.arrays
        first, count = a.programs[shape, self.states.classes[node], : P_VARIANTS + 1].tolist()
        at = node, first, count, self._weights(shape)
        score, variant, fit = python(scoring.evaluate)(*elements(a.nodes, a.code, a.book, a.picks), at)
        return int(score), int(variant), int(fit)

    def program(self, shape: int, table: int) -> Program:
        """The shape on the class as NumPy reads it."""
        key = shape, table
        if key not in self.programs:
            self.programs[key] = program(self.arrays, self.arrays.programs[shape, table])
        return self.programs[key]

    def _weights(self, shape: int) -> tuple[int, int, int, int]:
        weights, most = self.arrays.shapes[shape], self.arrays.most
        return int(weights[W_CORES]), int(weights[W_GPUS]), int(most[0]), int(most[1])

    def choose(self, shape: int) -> int:
        """As decide.choose."""
        self.refresh(shape)
        a, scores = self.arrays, self.arrays.scores[shape]
        self.tops, tops = self.blocks.tops(scores)
        dear, adjust = self._dear(int(a.shapes[shape, W_UNITS])), a.adjust[shape].tolist()
        points = [NEVER if own == NEVER else own - dear[kind] for own, kind in zip(adjust, self.kind_of, strict=True)]
        totals = [top + own if top > NEVER < own else -HUGE for top, own in zip(tops, points, strict=True)]
        best = max(totals)
        tied = [table for table, total in enumerate(totals) if total == best > -HUGE]
        a.points[:] = points
        return min([self._first(scores, table) for table in tied], key=a.rank.__getitem__, default=-1)

    def _dear(self, units: int) -> list[int]:
        """What each kind of GPU costs beyond its worth."""
        if not units:
            return [0] * len(self.kinds)
        left, found = max(1, sum([free for _, free in self.kinds])), [0] * len(self.kinds)
        for kind, scarce in enumerate(self.scarcity):  # decide.dearness, word for word
            if scarce:
                ratio = self.shares[kind] / (max(1, self.kinds[kind][1]) / left)
                found[kind] = int(min(DEAREST, scarce * (ratio * ratio)) * units) // FULL
        return found

    def _first(self, scores: Small, table: int) -> int:
        """The first node of the class with its best score."""
        first = self.starts[table]
        end = self.starts[table + 1] if table + 1 < len(self.starts) else len(scores)
        return first + int(scores[first:end].argmax())

    def book(self, shape: int, node: int, most: int) -> Found:
        """As decide.book."""
        a, scores, table = self.arrays, self.arrays.scores[shape], int(self.blocks.class_of[node])
        ranked: Ranked = ([], [])
        fitting = 0
        if most:
            found, fitting = self.blocks.ranked((scores, self.tops), a.points, most)
            ranked = led(found, node, int(scores[node] + a.points[table]))
        scarcity = int(a.adjust[shape, table] - a.points[table])
        slots, score, fit, crossing = self._taken(shape, node, table)
        self.move(node, slots, -1)
        return Found(node, slots, score, fit, crossing, scarcity, fitting, ranked)

    def _taken(self, shape: int, node: int, table: int) -> Taken:
        """The shape's best devices on the node; a score of NEVER where it does not fit."""
        key = shape, self.states.of[node]
        known = self.picked.get(key)
        if known is None:
            a = self.arrays
            score, variant, fit = self._evaluate(shape, node)
            if variant < 0:
                return (), NEVER, 0, 0
            if a.programs[shape, table, P_VARIANTS] > 1:  # else the picks are still those of the only variant
                python(fill)(*elements(a.nodes, a.code, a.book, a.picks), (node, variant))
            slots = tuple(a.picks[1 : 1 + a.picks[0]].tolist())
            known = self.picked[key] = slots, score, fit, int(a.code[variant, V_PENALTY])
            self.answers += 1
        return known

    def move(self, node: int, slots: Slots, sign: int) -> None:
        """As decide.move."""
        way = self.states.of[node], slots, sign
        freed = self.states.follow(node, way)
        if freed is None:
            columns, amounts = self._amounts(slots)
            self.arrays.nodes[node, columns] += sign * amounts
            freed = self.states.enter(node, way)
        self._changed(node, freed, gave_back=sign > 0)

    def renew(self, node: int) -> None:
        """As decide.renew, of one node: what follows must be true of all others when a state is entered."""
        self._changed(node, self.states.enter(node), gave_back=True)

    def _changed(self, node: int, freed: int, *, gave_back: bool) -> None:
        """What follows from the node's state, which is another now; levels of GPUs that became free."""
        self.kinds[self.kind_of[self.states.classes[node]]][1] += freed
        self.changes.note(node, gave_back=gave_back)
        if self.states.era != self.era:
            self.era = self.states.era
            self._forget_answers()
            self.surveys.forget_states()
        elif self.surveys.watched:
            self.surveys.meet(node)

    def _amounts(self, slots: Slots) -> tuple[Ints, Ints]:
        """(columns, amounts) that the slots take; each column once."""
        known = self.moves.get(slots)
        if known is None:
            code, taken = self.arrays.code, Counter[int]()
            for slot in slots:
                first = code[slot, S_TAKE]
                for column, amount in code[first : first + code[slot, S_TAKES], :2].tolist():
                    taken[column] += amount
            moved = {column: amount for column, amount in taken.items() if amount}
            known = np.array(list(moved), dtype=np.int64), np.array(list(moved.values()), dtype=np.int64)
            if len(self.moves) >= MOST_KNOWN:
                self.moves.clear()
            self.moves[slots] = known
        return known

