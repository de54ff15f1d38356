"""Who gets which of the places that suit him, so that all are served at the least total cost? Or who are too many?

Shortest augmenting paths (Kuhn, Munkres; Jonker and Volgenant), exact in integers. Where someone cannot be served,
those reached from him are the proof: together they have fewer places than they are (Hall). Ties go to the first place.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
NEVER = np.int64(1 << 60)


def assign(rows: Sequence[Mapping[int, int]]) -> tuple[list[int], list[int]]:
    """`rows` map places to costs. (each row's place, []), or ([], rows that have fewer places than they are)."""
    places = 1 + max((place for row in rows for place in row), default=-1)
    costs = np.full((len(rows), places), NEVER, dtype=np.int64)
    for number, row in enumerate(rows):
        costs[number, list(row)] = list(row.values())
    solver = _Solver(costs)
    for number in range(len(rows)):
        rivals = solver.add(number)
        if rivals:
            return [], rivals
    chosen = {int(row): place for place, row in enumerate(solver.owner[1:].tolist()) if row >= 0}
    return [chosen[row] for row in range(len(rows))], []


class _Solver:
    """Rows are added one by one; column 0 stands for the row that is being added."""

    def __init__(self, costs: Ints) -> None:
        rows, places = costs.shape
        self.costs = costs
        self.row_price = np.zeros(rows, dtype=np.int64)
        self.place_price = np.zeros(places + 1, dtype=np.int64)
        self.owner = np.full(places + 1, -1, dtype=np.int64)

    def add(self, row: int) -> list[int]:
        """Serve the row too, moving others where that must be; the rivals when it cannot be."""
        size = len(self.owner)
        least, way = np.full(size, NEVER, dtype=np.int64), np.zeros(size, dtype=np.int64)
        reached, at = np.zeros(size, dtype=bool), 0
        self.owner[0] = row
        while self.owner[at] >= 0:
            reached[at] = True
            here = int(self.owner[at])
            self._look(here, at, (least, way, reached))
            nearest = np.where(reached, NEVER, least)
            following = int(nearest.argmin())
            if nearest[following] >= NEVER:
                return sorted(self.owner[reached].tolist())
            step = nearest[following]
            self.row_price[self.owner[reached]] += step
            self.place_price[reached] -= step
            least[~reached & (least < NEVER)] -= step
            at = following
        while at:
            self.owner[at] = self.owner[way[at]]
            at = int(way[at])
        return []

    def _look(self, row: int, at: int, paths: tuple[Ints, Ints, npt.NDArray[np.bool_]]) -> None:
        """Which places does the row reach more cheaply than known so far?"""
        (least, way, reached), costs = paths, self.costs[row]
        found = costs - self.row_price[row] - self.place_price[1:]
        better = (costs < NEVER) & ~reached[1:] & (found < least[1:])
        least[1:][better], way[1:][better] = found[better], at
