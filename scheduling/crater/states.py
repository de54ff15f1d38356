"""Which nodes are in equal states? Their free amounts, and with them all that follows, are the same."""

from typing import NamedTuple

import numpy as np

from scheduling.crater import batch
from scheduling.crater.arrays import Arrays
from scheduling.crater.found import Slots
from scheduling.crater.kernels import CLASS, SPARE, Ints

#: Changes of nodes after which it is counted anew how many led to states that were not known.
SAMPLE = 1024
#: Ways between states remembered before starting over: bounds the memory of a long life.
MOST_WAYS = 100_000

Way = tuple[int, Slots, int]  # from which state; slots that are taken (-1) or given back (1)


class State(NamedTuple):
    """What all nodes of a class are that have the same amounts free."""

    number: int
    row: Ints  # of Arrays.nodes
    spare: int  # levels of GPUs


class States:
    """`of` is the number of each node's state; a number is given to another state only in another `era`."""

    def __init__(self, arrays: Arrays, offset: int) -> None:
        self.arrays, self.offset = arrays, offset
        self.classes: list[int] = arrays.nodes[:, CLASS].tolist()
        self.gauges = [batch.gauges_of(arrays, table) for table in range(len(arrays.classes))]
        self.spare: list[int] = arrays.nodes[:, SPARE].tolist()
        self.most, self.count = 20_000 + 2 * len(arrays.nodes), 0
        self.known: dict[tuple[int, bytes], State] = {}
        self.ways: dict[Way, State] = {}
        self.numbers: Ints = np.zeros(len(arrays.nodes), dtype=np.int64)
        self.of = self.numbers.data  # the same memory, quicker to ask for one
        self.era, self.entered, self.counted, self.repeat = 0, 0, 0, False
        for node in range(len(arrays.nodes)):
            self.enter(node)

    def enter(self, node: int, way: Way | None = None) -> int:
        """Bring what is derived from the node's free amounts up to date; levels of GPUs that became free."""
        row, table, era = self.arrays.nodes[node], self.classes[node], self.era
        key = table, row[self.offset :].tobytes()
        state = self.known.get(key)
        if state is None:
            batch.appraise(row[None, :], self.arrays.book[table], self.gauges[table])
            if self.count >= self.most:
                self._renumber(node)
            state = self._number(node, key)
        else:
            row[:] = state.row
        if way is not None and era == self.era:
            if len(self.ways) >= MOST_WAYS:
                self.ways.clear()
            self.ways[way] = state
        return self._settle(node, state)

    def follow(self, node: int, way: Way) -> int | None:
        """As `enter`, where some node has gone that way already: its free amounts become those; else None."""
        state = self.ways.get(way)
        if state is None:
            return None
        self.arrays.nodes[node] = state.row
        return self._settle(node, state)

    def _settle(self, node: int, state: State) -> int:
        self.of[node], before, self.spare[node] = state.number, self.spare[node], state.spare
        self.entered += 1
        if self.entered % SAMPLE == 0:  # whether what is known of a state is worth keeping
            self.repeat, self.counted = 4 * (self.count - self.counted) < SAMPLE, self.count
        return state.spare - before

    def _number(self, node: int, key: tuple[int, bytes]) -> State:
        """A number for the node's state, if it has none; what is derived must be up to date."""
        if key not in self.known:
            row = self.arrays.nodes[node]
            self.known[key] = State(self.count, row.copy(), int(row[SPARE]))
            self.count += 1
        return self.known[key]

    def _renumber(self, but: int) -> None:
        """Forget all states but those that nodes other than the one are in, which get new numbers."""
        self.known.clear()
        self.ways.clear()
        self.count, self.counted, self.era = 0, 0, self.era + 1
        for node, table in enumerate(self.classes):
            if node != but:
                key = table, self.arrays.nodes[node, self.offset :].tobytes()
                self.of[node] = self._number(node, key).number

    def distinct(self) -> tuple[Ints, Ints]:
        """A node for each state that nodes are in, and for every node the place of its state among them."""
        _, first, inverse = np.unique(self.numbers, return_index=True, return_inverse=True)
        return first, inverse
