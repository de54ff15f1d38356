"""How far can promised probabilities be believed?

`Trust` maps a raw probability to the share of equal promises that were kept, by pooling adjacent
violators over the newest promises whose outcome is known. Fed in time order; kept or not, an outcome
should be told when its deadline is past, else early news is good news.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
REMEMBERED = 2_000  # newest outcomes that count


CHUNK = 40  # outcomes that are judged together at least


EVERY = 50  # outcomes between two fits of the trust curve


class Trust:
    """How often promises of a given size were kept."""

    def __init__(self) -> None:
        self._promised: list[float] = []
        self._kept: list[bool] = []
        self._curve: tuple[Floats, Floats] | None = None

    def ended(self, promised: float, was_kept: bool) -> None:
        """Add one promise whose outcome is known."""
        self._promised.append(promised)
        self._kept.append(was_kept)
        if len(self._kept) % EVERY == 0:
            scores, outcomes = self._promised[-REMEMBERED:], self._kept[-REMEMBERED:]
            self._curve = monotone(np.array(scores), np.array(outcomes, dtype=np.float64))

    @property
    def is_fitted(self) -> bool:
        """True once enough outcomes are known."""
        return self._curve is not None

    def of(self, promised: float) -> float:
        """The believable probability; the raw one until enough outcomes are known."""
        if self._curve is None:
            return promised
        return float(np.interp(promised, *self._curve))


def monotone(scores: Floats, outcomes: Floats) -> tuple[Floats, Floats]:
    """The best non-decreasing curve through the outcomes: (scores, levels), one point per pool.

    A pool's level is (kept + 1/2) / (n + 1), so that no finite experience promises 0 or 1.
    """
    order = np.argsort(scores, kind="stable")
    chunks = np.array_split(order, max(1, len(order) // CHUNK))
    pools: list[tuple[float, float, float]] = []  # sum of scores, sum of outcomes, count
    for chunk in chunks:
        pool = (float(scores[chunk].sum()), float(outcomes[chunk].sum()), float(len(chunk)))
        while pools and pools[-1][1] / pools[-1][2] >= pool[1] / pool[2]:
            last = pools.pop()
            pool = (last[0] + pool[0], last[1] + pool[1], last[2] + pool[2])
        pools.append(pool)
    where = np.array([total / count for total, _, count in pools])
    levels = np.array([(kept + 0.5) / (count + 1) for _, kept, count in pools])
    return where, np.asarray(np.maximum.accumulate(levels))
