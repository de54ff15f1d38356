"""What do finished jobs say about the next one?

`Experience` keeps finished jobs by kind. People who set a deadline know something of their job, so
the time they allow is evidence: a past duration counts by how often people allow that multiple of
what a job then takes (the habit, itself learned from finished jobs only). Fed in time order.
"""

from collections.abc import Hashable
from math import log

import numpy as np
from numpy.typing import NDArray

from scheduling.crater.model import Runtime

Floats = NDArray[np.float64]
REMEMBERED = 2_000  # newest finished jobs of a kind that count
FEW = 30  # below this many of its own kind, all kinds together speak
HABITS = np.linspace(log(0.1), log(10.0), 47)  # borders of the multiples of a duration that people allow


class Experience:
    """Durations (ms, > 0) of finished jobs with the time that was allowed for them (ms, > 0)."""

    def __init__(self) -> None:
        self._logs: dict[Hashable, list[float]] = {}
        self._habit = np.ones(len(HABITS) + 1)

    def finished(self, kind: Hashable, lasted_ms: int, allowed_ms: int) -> None:
        """Add one finished job; one that ended at once says nothing about the next."""
        if lasted_ms <= 0 or allowed_ms <= 0:
            return
        for key in (kind, None):
            mine = self._logs.setdefault(key, [])
            mine.append(log(lasted_ms))
            if len(mine) > 2 * REMEMBERED:
                del mine[:-REMEMBERED]
        self._habit[int(np.searchsorted(HABITS, log(allowed_ms / lasted_ms)))] += 1.0

    def belief(self, kind: Hashable, allowed_ms: int) -> tuple[Floats, Floats] | None:
        """Sorted log durations with weights that sum to 1; None without any finished job."""
        known = self._logs.get(kind, [])
        logs = known if len(known) >= FEW else self._logs.get(None, [])
        if not logs:
            return None
        allowed_ms, durations = max(1, allowed_ms), np.array(logs[-REMEMBERED:])
        habit = self._habit / self._habit.sum()
        weights = habit[np.searchsorted(HABITS, log(allowed_ms) - durations)]
        order = np.argsort(durations, kind="stable")
        return durations[order], weights[order] / weights.sum()

    def chance(self, kind: Hashable, allowed_ms: int, left_ms: int) -> float | None:
        """Probability of lasting at most `left_ms`; None without experience."""
        believed = self.belief(kind, allowed_ms)
        if believed is None:
            return None
        if left_ms <= 0:
            return 0.0
        durations, weights = believed
        return float(weights[: int(np.searchsorted(durations, log(left_ms), side="right"))].sum())

    def runtime(self, kind: Hashable, allowed_ms: int) -> Runtime | None:
        """The believed median and 90 % duration."""
        believed = self.belief(kind, allowed_ms)
        if believed is None:
            return None
        durations, weights = believed
        sums = np.cumsum(weights)
        p50, p90 = (float(np.exp(durations[min(len(sums) - 1, int(np.searchsorted(sums, q)))])) for q in (0.5, 0.9))
        return Runtime(round(p50), round(p90), "history", len(durations))
