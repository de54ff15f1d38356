"""The same decisions without machine code: scores in batches, and never twice for one state.

Where few nodes changed, each (shape, state of a node) is looked up in what is known already;
where many did, they are scored at once in NumPy (batch.py). Used where numba is not installed.
"""

from collections import Counter

import numpy as np

from scheduling.crater import batch, scoring
from scheduling.crater.arrays import C_KIND, C_START, P_VARIANTS, W_CORES, W_GPUS, W_UNITS, Arrays
from scheduling.crater.changes import Changes
from scheduling.crater.columns import Program, program
from scheduling.crater.compiled import python
from scheduling.crater.decide import DEAREST
from scheduling.crater.found import Found, Slots
from scheduling.crater.kernels import FULL, NEVER, S_TAKE, S_TAKES, V_PENALTY, Ints, Small, fill
from scheduling.crater.ranking import Blocks, Ranked, led
from scheduling.crater.states import States
from scheduling.crater.surveys import Surveys

#: Changed nodes up to which states are looked up one by one.
FEW = 48
#: Nodes of a class up to which a kernel for each is cheaper than NumPy for all.
SMALL = 2
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
        dirty, scores = self.changes.since(since), self.arrays.scores[shape]
        if dirty is None:
            first, inverse = self.states.distinct()
            scores[:] = self._scores(shape, first)[inverse]
        elif len(dirty):
            # what did not fit before more was taken does not fit now
            nodes = dirty[(scores[dirty] > NEVER) | (self.changes.freed[dirty] >= since)]
            scores[nodes] = self._looked_up(shape, nodes) if len(nodes) <= FEW else self._scores(shape, nodes)
        self.seen[shape] = self.changes.now

    def _looked_up(self, shape: int, nodes: Ints) -> list[int]:
        """Scores by state; states that were never met are evaluated."""
        known, states = self.known.setdefault(shape, {}), self.states.of[nodes].tolist()
        new = {state: node for state, node in zip(states, nodes.tolist(), strict=True) if state not in known}
        if new:
            known.update(zip(new, self._scored(shape, list(new.values())), strict=True))
            self.answers += len(new)
        return [known[state] for state in states]

    def _scored(self, shape: int, nodes: list[int]) -> list[int]:
        """As `_scores`, of few nodes."""
        if len(nodes) > 2:
            found: list[int] = self._scores(shape, np.array(nodes)).tolist()
            return found
        programs, classes = self.arrays.programs, self.states.classes
        return [self._evaluate(shape, n)[0] if programs[shape, classes[n], P_VARIANTS] else NEVER for n in nodes]

    def _scores(self, shape: int, nodes: Ints) -> Ints:
        a, found = self.arrays, np.full(len(nodes), NEVER, dtype=np.int64)
        for table, at in self._by_class(nodes):
            if a.programs[shape, table, P_VARIANTS] == 0:
                continue
            if len(at) <= SMALL or self.program(shape, table).is_shared:
                found[at] = [self._evaluate(shape, node)[0] for node in nodes[at].tolist()]
            else:
                rows = a.nodes[nodes[at]]
                found[at] = batch.scores(rows, a.book[table], self.program(shape, table), self._weights(shape))
        return found

    def _evaluate(self, shape: int, node: int) -> tuple[int, int, int]:
        """As scoring.evaluate: (score, variant, best-fit part), by the very kernel."""
        a = self.arrays
        first, count = a.programs[shape, self.states.classes[node], : P_VARIANTS + 1].tolist()
        at = node, first, count, self._weights(shape)
        score, variant, fit = python(scoring.evaluate)(a.nodes, a.code, a.book, a.picks, at)
        return int(score), int(variant), int(fit)

    def _by_class(self, nodes: Ints) -> list[tuple[int, Ints]]:
        tables = self.blocks.class_of[nodes]
        return [(table, (tables == table).nonzero()[0]) for table in set(tables.tolist())]

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
        self.tops: Small = self.blocks.tops(scores)
        points, winner, best = [NEVER] * len(self.starts), -1, -(2**62)
        tops = np.maximum.reduceat(self.tops, self.blocks.of_class).tolist()
        dear = self._dear(int(a.shapes[shape, W_UNITS]))
        for table, (top, adjust, kind) in enumerate(zip(tops, a.adjust[shape].tolist(), self.kind_of, strict=True)):
            if top == NEVER or adjust == NEVER:
                continue
            points[table] = adjust - dear[kind]
            total = top + points[table]
            if total >= best:
                node = self._first(scores, table, top)
                if total > best or a.rank[node] < a.rank[winner]:
                    winner, best = node, total
        a.points[:] = points
        return winner

    def _dear(self, units: int) -> list[int]:
        """What each kind of GPU costs beyond its worth."""
        if not units:
            return [0] * len(self.kinds)
        total, left = sum([kind[0] for kind in self.kinds]), max(1, sum([kind[1] for kind in self.kinds]))
        found = []
        for (own, free), scarce in zip(self.kinds, self.scarcity, strict=True):  # decide.dearness, word for word
            ratio = (own / total) / (max(1, free) / left) if scarce else 0
            found.append(int(min(DEAREST, scarce * (ratio * ratio)) * units) // FULL)
        return found

    def _first(self, scores: Small, table: int, top: int) -> int:
        """The first node of the class with that score."""
        first = self.starts[table]
        end = self.starts[table + 1] if table + 1 < len(self.starts) else len(scores)
        return first + int(scores[first:end].argmax())

    def book(self, shape: int, node: int, most: int) -> Found:
        """As decide.book."""
        a, scores, table = self.arrays, self.arrays.scores[shape], int(self.blocks.class_of[node])
        ranked: Ranked = ([], [])
        if most:
            found = self.blocks.ranked((scores, self.tops), a.points, most)
            ranked = led(found, node, int(scores[node] + a.points[table]))
        scarcity, fitting = int(a.adjust[shape, table] - a.points[table]), int(np.count_nonzero(scores > NEVER))
        slots, score, fit, crossing = self._taken(shape, node, table)
        self.move(node, slots, -1)
        return Found(node, slots, score, fit, crossing, scarcity, fitting, ranked)

    def _taken(self, shape: int, node: int, table: int) -> Taken:
        """The shape's best devices on the node."""
        key = shape, int(self.states.of[node])
        known = self.picked.get(key)
        if known is None:
            a = self.arrays
            score, variant, fit = self._evaluate(shape, node)
            if a.programs[shape, table, P_VARIANTS] > 1:  # else the picks are still those of the only variant
                python(fill)(a.nodes, a.code, a.book, a.picks, (node, variant))
            slots = tuple(a.picks[1 : 1 + a.picks[0]].tolist())
            known = self.picked[key] = slots, score, fit, int(a.code[variant, V_PENALTY])
            self.answers += 1
        return known

    def move(self, node: int, slots: Slots, sign: int) -> None:
        """As decide.move."""
        columns, amounts = self._amounts(slots)
        row = self.arrays.nodes[node]
        row[columns] += amounts if sign > 0 else -amounts
        self._changed(node, gave_back=sign > 0)

    def renew(self, node: int) -> None:
        """As decide.renew, of one node: what follows must be true of all others when a state is entered."""
        self._changed(node, gave_back=True)

    def _changed(self, node: int, *, gave_back: bool) -> None:
        """What follows from the node's free amounts, which are different now."""
        kind = self.kind_of[self.blocks.class_of[node]]
        self.kinds[kind][1] += self.states.enter(node)
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

