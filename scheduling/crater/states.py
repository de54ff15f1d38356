"""Which nodes are in equal states? Their free amounts, and with them all that follows, are the same."""

import numpy as np

from scheduling.crater import batch
from scheduling.crater.arrays import Arrays
from scheduling.crater.kernels import CLASS, SPARE, Ints


class States:
    """`of` is the number of each node's state; a number is never given to another state."""

    def __init__(self, arrays: Arrays, offset: int) -> None:
        self.arrays, self.offset = arrays, offset
        self.classes: list[int] = arrays.nodes[:, CLASS].tolist()
        self.gauges = [batch.gauges_of(arrays, table) for table in range(len(arrays.classes))]
        self.spare: list[int] = arrays.nodes[:, SPARE].tolist()
        self.most, self.count = 20_000 + 2 * len(arrays.nodes), 0
        self.known: dict[tuple[int, bytes], tuple[int, Ints, int]] = {}
        self.of: list[int] = [0] * len(arrays.nodes)
        for node in range(len(arrays.nodes)):
            self.enter(node)

    def enter(self, node: int) -> int:
        """Bring what is derived from the node's free amounts up to date; levels of GPUs that became free."""
        row, table = self.arrays.nodes[node], self.classes[node]
        key = table, row[self.offset :].tobytes()
        known = self.known.get(key)
        if known is None:
            batch.appraise(row[None, :], self.arrays.book[table], self.gauges[table])
            if len(self.known) >= self.most:
                self.known.clear()
            known = self.known[key] = self.count, row[: self.offset].copy(), int(row[SPARE])
            self.count += 1
        else:
            row[: self.offset] = known[1]
        self.of[node], before, self.spare[node] = known[0], self.spare[node], known[2]
        return known[2] - before

    def distinct(self) -> tuple[Ints, Ints]:
        """A node for each state that nodes are in, and for every node the place of its state among them."""
        _, first, inverse = np.unique(np.array(self.of), return_index=True, return_inverse=True)
        return first, inverse
