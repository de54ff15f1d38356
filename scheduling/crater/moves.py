"""Which round of moves between classes gains most? Every simple round is looked at (allot.py)."""

from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from alldata.kernel.errors import Invalid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST = 1e-12


MOST_CLASSES = 6


class TooManyClasses(Invalid):
    """More device classes than can be compared exactly; group the alike ones."""

    code = "too_many_classes"


def improving_round(gain: Floats) -> list[int] | None:
    """The closed walk over classes whose moves gain most together, or None when none gains."""
    best, found = LEAST, None
    for walks in _rounds(len(gain)):
        gains = gain[walks[:, :-1], walks[:, 1:]].sum(axis=1)
        top = int(gains.argmax())
        if gains[top] > best:
            best, found = float(gains[top]), walks[top].tolist()
    return found


@cache
def _rounds(size: int) -> tuple[Ints, ...]:
    """Every simple round over `size` classes, one array (rounds, length + 1) for each length."""
    found = []
    for length in range(2, size + 1):
        walks = [(*walk, walk[0]) for walk in permutations(range(size), length) if walk[0] == min(walk)]
        found.append(np.array(walks))
    return tuple(found)
