"""Integer tables that grow at the end, as arrays that kernels can read."""

from collections.abc import Sequence

import numpy as np

from scheduling.crater.kernels import Ints


class Rows:
    """A table of `width` columns; `array` has room to spare beyond `used`."""

    def __init__(self, width: int, room: int = 64) -> None:
        self.array: Ints = np.zeros((room, width), dtype=np.int64)
        self.used = 0

    def add(self, row: Sequence[int]) -> int:
        """Append a row; its number."""
        if self.used == len(self.array):
            self.array = np.concatenate([self.array, np.zeros_like(self.array)])
        self.array[self.used] = row
        self.used += 1
        return self.used - 1
