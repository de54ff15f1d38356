"""Which nodes are in equal states? Their free amounts, and with them all that follows, are the same."""

import numpy as np

from scheduling.crater import batch
from scheduling.crater.arrays import Arrays
from scheduling.crater.kernels import CLASS, SPARE, Ints

#: Changes of nodes after which it is counted anew how many led to states that were not known.
SAMPLE = 1024


class States:
    """`of` is the number of each node's state; a number is given to another state only in another `era`."""

    def __init__(self, arrays: Arrays, offset: int) -> None:
        self.arrays, self.offset = arrays, offset
        self.classes: list[int] = arrays.nodes[:, CLASS].tolist()
        self.gauges = [batch.gauges_of(arrays, table) for table in range(len(arrays.classes))]
        self.spare: list[int] = arrays.nodes[:, SPARE].tolist()
        self.most, self.count = 20_000 + 2 * len(arrays.nodes), 0
        self.known: dict[tuple[int, bytes], tuple[int, Ints, int]] = {}
        self.of: Ints = np.zeros(len(arrays.nodes), dtype=np.int64)
        self.era, self.entered, self.counted, self.repeat = 0, 0, 0, False
        for node in range(len(arrays.nodes)):
            self.enter(node)

    def enter(self, node: int) -> int:
        """Bring what is derived from the node's free amounts up to date; levels of GPUs that became free."""
        row, table = self.arrays.nodes[node], self.classes[node]
        key = table, row[self.offset :].tobytes()
        known = self.known.get(key)
        if known is None:
            batch.appraise(row[None, :], self.arrays.book[table], self.gauges[table])
            if self.count >= self.most:
                self._renumber(node)
            known = self._number(node, key)
        else:
            row[: self.offset] = known[1]
        self.of[node], before, self.spare[node] = known[0], self.spare[node], known[2]
        self.entered += 1
        if self.entered % SAMPLE == 0:  # whether what is known of a state is worth keeping
            self.repeat, self.counted = 4 * (self.count - self.counted) < SAMPLE, self.count
        return known[2] - before

    def _number(self, node: int, key: tuple[int, bytes]) -> tuple[int, Ints, int]:
        """A number for the node's state, if it has none; what is derived must be up to date."""
        if key not in self.known:
            row = self.arrays.nodes[node]
            self.known[key] = self.count, row[: self.offset].copy(), int(row[SPARE])
            self.count += 1
        return self.known[key]

    def _renumber(self, but: int) -> None:
        """Forget all states but those that nodes other than the one are in, which get new numbers."""
        self.known.clear()
        self.count, self.counted, self.era = 0, 0, self.era + 1
        for node, table in enumerate(self.classes):
            if node != but:
                key = table, self.arrays.nodes[node, self.offset :].tobytes()
                self.of[node] = self._number(node, key)[0]

    def distinct(self) -> tuple[Ints, Ints]:
        """A node for each state that nodes are in, and for every node the place of its state among them."""
        _, first, inverse = np.unique(self.of, return_index=True, return_inverse=True)
        return first, inverse
