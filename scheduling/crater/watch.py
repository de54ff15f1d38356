"""One refused shape, watched: how every node stands, kept up as nodes go from state to state.

A state is judged once, when a node first enters it; how often each verdict holds is counted
with every move. So a refusal finds its totals ready, however much changed since the last one.
"""

from typing import TYPE_CHECKING

import numpy as np

from scheduling.crater import near
from scheduling.crater.compiled import elements, python
from scheduling.crater.kernels import NEVER, Ints, Small
from scheduling.crater.verdicts import tallied

if TYPE_CHECKING:
    from scheduling.crater.plain import Plain

Judged = tuple[Ints, Ints, Ints]  # a node for each state that nodes are in, how close it comes, its verdict


class Watch:
    """`kinds` numbers the verdicts by class; -1 is a state that was not judged."""

    def __init__(self, plain: "Plain", shape: int, found: Judged) -> None:
        self.plain, self.shape = plain, shape
        self.close: Small = np.zeros(plain.states.most, dtype=np.int32)
        self.kind_of: list[int] = [-1] * plain.states.most
        self.kinds: dict[tuple[int, int], int] = {}
        self.times: list[int] = []
        self.added: list[list[int]] = []  # by kind: what one node adds to the totals
        first, close, verdicts = found
        for node, lack, verdict in zip(first.tolist(), close.tolist(), verdicts.tolist(), strict=True):
            self._learn(node, lack, verdict)
        self.now = [self.kind_of[state] for state in plain.states.of]
        for kind in self.now:
            self.times[kind] += 1

    def meet(self, node: int, state: int) -> None:
        """The node is in another state."""
        kind, before = self.kind_of[state], self.now[node]
        if kind < 0:
            a, table = self.plain.arrays, self.plain.states.classes[node]
            row = tuple(a.programs[self.shape, table].tolist())
            lacks, verdict = python(near.judged)(*elements(a.nodes, a.code, a.shares), node, row)
            kind = self._learn(node, -int(lacks) if lacks < near.NOWHERE else NEVER, int(verdict))
        if kind != before:
            self.times[before] -= 1
            self.times[kind] += 1
            self.now[node] = kind

    def _learn(self, node: int, close: int, verdict: int) -> int:
        """Note how nodes stand in the state that the node is in."""
        state, table = self.plain.states.of[node], self.plain.states.classes[node]
        kind = self.kinds.get((table, verdict), -1)
        if kind < 0:
            kind = self.kinds[table, verdict] = len(self.times)
            self.times.append(0)
            self.added.append(self._adds(table, verdict))
        self.close[state], self.kind_of[state] = close, kind
        return kind

    def _adds(self, table: int, verdict: int) -> list[int]:
        one = np.ones(1, dtype=np.int64)
        totals, alike = tallied(one * table, one * verdict, one)
        for _, bits in alike:
            totals += self.plain.surveys.tally(self.shape, table, bits)
        added: list[int] = totals.tolist()
        return added

    def distances(self) -> Small:
        """By node, minus what it lacks or NEVER."""
        close: Small = self.close[self.plain.states.numbers]
        return close

    def totals(self) -> list[int]:
        """Devices by near.RULES."""
        totals: list[int] = (np.array(self.times) @ np.array(self.added)).tolist()
        return totals
