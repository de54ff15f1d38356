"""The same decisions without machine code: what is known of a node's state is never worked out twice.

Nodes in equal states (class and free amounts) score equally, so each (shape, state) is evaluated
once by the very kernels of kernels.py and then looked up. Used where numba is not installed.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from scheduling.crater import decide, scoring
from scheduling.crater.arrays import C_KIND, C_START, W_CORES, W_GPUS, W_SEEN, W_UNITS, Arrays
from scheduling.crater.kernels import CLASS, NEVER, S_TAKE, S_TAKES, SPARE, V_PENALTY, Ints, Small, fill

UNKNOWN = NEVER - 1
#: States remembered before starting over: bounds the memory of a long life.
MOST_STATES = 100_000

Taken = tuple[tuple[int, ...], tuple[int, int, int]]  # slots; score, best-fit part, penalty


def python(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, not its machine code."""
    plain: Callable[..., Any] = getattr(function, "py_func", function)
    return plain


class Plain:
    """Scores by state; `arrays` is the same as for the kernels and kept as they keep it."""

    def __init__(self, arrays: Arrays, offset: int) -> None:
        self.arrays, self.offset = arrays, offset
        self.states: dict[bytes, int] = {}
        self.rows: list[Ints] = []
        self.state_of = np.zeros(len(arrays.nodes), dtype=np.int64)
        self.deltas: dict[tuple[int, ...], tuple[Ints, Ints]] = {}
        self.starts = arrays.classes[:, C_START].copy()
        self.classes: list[list[int]] = arrays.classes[:, : C_KIND + 1].tolist()
        self.scarcity: list[float] = arrays.scarcity.tolist()
        self.scores: list[Small] = []
        self.picked: dict[tuple[int, int], Taken] = {}
        for node in range(len(arrays.nodes)):
            self.state_of[node] = self._state(node)

    def _state(self, node: int) -> int:
        """The number of the node's state; its derived figures are copied or worked out."""
        a, row = self.arrays, self.arrays.nodes[node]
        if len(self.rows) >= MOST_STATES:
            self._restart()
        key = row[CLASS].tobytes() + row[self.offset :].tobytes()
        state = self.states.setdefault(key, len(self.rows))
        if state == len(self.rows):
            python(scoring.appraise)(a, node)
            self.rows.append(row.copy())
        else:
            kind = a.classes[row[CLASS], C_KIND]
            a.kinds[kind, 1] += self.rows[state][SPARE] - row[SPARE]
            row[: self.offset] = self.rows[state][: self.offset]
        return state

    def _restart(self) -> None:
        """Forget all states but those that nodes are in."""
        self.states.clear()
        self.rows.clear()
        self.forget()
        for node in range(len(self.arrays.nodes)):
            self.state_of[node] = self._state(node)

    def change(self, node: int) -> None:
        """Note that the node's free amounts are different now."""
        a = self.arrays
        self.state_of[node] = self._state(node)
        at = int(a.last[-1])
        a.log[at % len(a.log)] = node
        a.last[node], a.last[-1] = at, at + 1

    def refresh(self, shape: int) -> None:
        """Look up the scores of the nodes that changed since the shape was last asked for."""
        a = self.arrays
        now, since, ring = int(a.last[-1]), int(a.shapes[shape, W_SEEN]), len(a.log)
        everything = since < 0 or now - since > ring
        dirty = np.arange(len(a.nodes)) if everything else a.log[np.arange(since, now) % ring]
        if len(dirty):
            states = self.state_of[dirty]
            known = self._known(shape)
            found = known[states]
            for place in np.flatnonzero(found == UNKNOWN):
                state = states[place]
                if known[state] == UNKNOWN:
                    known[state] = self._evaluate(shape, int(dirty[place]))[0]
                found[place] = known[state]
            a.scores[shape, dirty] = found
        a.shapes[shape, W_SEEN] = now

    def _known(self, shape: int) -> Small:
        """Scores of the shape by state, with room for all states."""
        while len(self.scores) <= shape:
            self.scores.append(np.full(64, UNKNOWN, dtype=np.int32))
        known = self.scores[shape]
        if len(known) < len(self.rows):
            known = np.concatenate([known, np.full(2 * len(self.rows) - len(known), UNKNOWN, dtype=np.int32)])
            self.scores[shape] = known
        return known

    def _evaluate(self, shape: int, node: int) -> tuple[int, int, int]:
        a, table = self.arrays, self.arrays.nodes[node, CLASS]
        weights = a.shapes[shape, W_CORES], a.shapes[shape, W_GPUS], a.most[0], a.most[1]
        at = (node, a.programs[shape, table, 0], a.programs[shape, table, 1], weights)
        score, variant, fit = python(scoring.evaluate)(a.nodes, a.code, a.book, a.picks, at)
        return int(score), int(variant), int(fit)

    def forget(self) -> None:
        """Drop what is known of all shapes."""
        self.scores.clear()
        self.picked.clear()

    def choose(self, shape: int) -> int:
        """As decide.choose."""
        self.refresh(shape)
        a, scores = self.arrays, self.arrays.scores[shape]
        tops, adjust = np.maximum.reduceat(scores, self.starts).tolist(), a.adjust[shape].tolist()
        kinds, units = a.kinds.tolist(), int(a.shapes[shape, W_UNITS])
        whole = sum(kind[0] for kind in kinds), sum(kind[1] for kind in kinds)
        dear = [_dear(own, whole, scarcity, units) for own, scarcity in zip(kinds, self.scarcity, strict=True)]
        winner, best = -1, -(2**62)
        for (start, end, kind), top, points in zip(self.classes, tops, adjust, strict=True):
            total = top + points - dear[kind]
            if top == NEVER or points == NEVER or total < best:
                continue
            node = start + int(scores[start:end].argmax())
            if total > best or a.rank[node] < a.rank[winner]:
                winner, best = node, total
        return winner

    def take(self, shape: int, node: int) -> Taken:
        """As decide.take, with the rows of the chosen slots."""
        key = shape, int(self.state_of[node])
        if key not in self.picked:
            a = self.arrays
            score, variant, fit = self._evaluate(shape, node)
            python(fill)(a.nodes, a.code, a.book, a.picks, (node, variant))
            slots = tuple(a.picks[1 : 1 + a.picks[0]].tolist())
            self.picked[key] = slots, (score, fit, int(a.code[variant, V_PENALTY]))
        self.move(node, self.picked[key][0], -1)
        return self.picked[key]

    def move(self, node: int, slots: tuple[int, ...], sign: int) -> None:
        """As decide.move."""
        a = self.arrays
        columns, amounts = self._delta(slots)
        a.nodes[node, columns] += sign * amounts
        if sign > 0:
            a.freed[node] = a.last[-1]
        self.change(node)

    def _delta(self, slots: tuple[int, ...]) -> tuple[Ints, Ints]:
        """(columns, amounts) that the slots take; each column once."""
        if slots not in self.deltas:
            code, taken = self.arrays.code, Counter[int]()
            for slot in slots:
                first = code[slot, S_TAKE]
                for column, amount in code[first : first + code[slot, S_TAKES], :2].tolist():
                    taken[column] += amount
            self.deltas[slots] = np.array(list(taken), dtype=np.int64), np.array(list(taken.values()), dtype=np.int64)
        return self.deltas[slots]


def _dear(own: list[int], whole: tuple[int, int], scarcity: float, units: int) -> int:
    if units == 0 or scarcity == 0:
        return 0
    return int(python(decide.dearness)(own, whole, scarcity, units))
