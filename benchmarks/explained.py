"""What does a reason cost? The same decisions twice, with reasons and without, by two planners in step.

Both see the same arrivals and departures and decide alike; who goes first alternates. The bare
planner says which devices a job gets and nothing else: no score, no candidates, and of a refusal
only that it is one. The ratio is the median over pairs of one decision's two times.
"""

import time
from collections.abc import Callable

import numpy as np

from scheduling.crater.model import Placement, Refusal, Request
from scheduling.crater.planner import Planner

#: Fewer pairs than this say nothing.
ENOUGH = 30


class Bare(Planner):
    """Decides as a Planner, and keeps the reasons to itself."""

    def decide(self, request: Request) -> Placement | Refusal:
        found = self.board.place(self.shape(request).number, 0)
        if found is None:
            return _NO
        picks = self._picks(request, found)
        return Placement(request.job, self._names[found.row], picks, (), None, None, None, None)


_NO = Refusal("", True, {}, None)


class Pair:
    """Two runs in step: `step` of each makes one decision and says whether it was placed."""

    def __init__(self, explained: Callable[[], bool], bare: Callable[[], bool]) -> None:
        self.steps = explained, bare
        self.ratios: dict[bool, list[float]] = {True: [], False: []}

    def compare(self, seconds: float) -> None:
        """Decisions by both until the time is over."""
        began, turn = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            turn ^= 1
            took, placed = [0.0, 0.0], False
            for which in (turn, 1 - turn):
                now = time.perf_counter()
                placed = self.steps[which]()
                took[which] = time.perf_counter() - now
            self.ratios[placed].append(took[0] / took[1])

    def ratio(self, *, placed: bool) -> float | None:
        """Explained over bare, the median; None when there were too few such decisions."""
        found = self.ratios[placed]
        return round(float(np.median(found)), 2) if len(found) >= ENOUGH else None
