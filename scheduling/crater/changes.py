"""Which nodes changed since? The log of the plain path: as Arrays.log, without a kernel to write it."""

import numpy as np

from scheduling.crater.kernels import Ints

#: Entries up to which a set of Python's own is quicker than NumPy.
FEW = 64


class Changes:
    """Positions only grow; `freed` holds each node's latest release (Arrays.freed)."""

    def __init__(self, freed: Ints) -> None:
        self.freed, self.at, self.now = freed, freed.data, 0  # `at` is the same memory; `now` is the next position
        self.most = 1 << (4 * len(freed) + 256).bit_length()
        self.log: Ints = np.zeros(self.most, dtype=np.int64)
        self.last: Ints = np.full(len(freed), -1, dtype=np.int64)

    def note(self, node: int, *, gave_back: bool) -> None:
        """The node's free amounts are different now."""
        if gave_back:
            self.at[node] = self.now
        self.log[self.now & self.most - 1] = node
        self.last[node] = self.now
        self.now += 1

    def few(self, position: int) -> set[int] | None:
        """The nodes that changed from there on, where that is quick to tell; else None."""
        first, count = position & self.most - 1, self.now - position
        return set(self.log[first : first + count].tolist()) if count <= FEW and first + count <= self.most else None

    def since(self, position: int) -> Ints | None:
        """Each node that changed from there on once; None when that is too long ago to tell."""
        if position < max(0, self.now - self.most):
            return None
        few = self.few(position)
        if few is not None:
            return np.array(list(few), dtype=np.int64)
        entries = np.arange(position, self.now)
        nodes = self.log[entries & self.most - 1]
        found: Ints = nodes[self.last[nodes] == entries]
        return found
