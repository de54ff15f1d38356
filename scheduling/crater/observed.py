"""What has been asked for lately, and what stays long? The demand mix, learned as jobs come and go.

A shape weighs what arrived of it lately (the newest REMEMBERED) plus what is there of it now: gaps
are filled by what comes often, but most of a cluster's time belongs to few jobs that stay long.
`is_due` says when the mix is worth pricing again (market.py): after the first arrivals often, later seldom.
"""

from collections import Counter, deque
from collections.abc import Hashable

from scheduling.crater.model import Demand, Need

REMEMBERED = 8_000
FIRST = 25  # the first jobs on an empty cluster often stay longest: price early, if roughly


class Observed:
    """Arrivals by shape; equal keys ask for equal needs."""

    def __init__(self) -> None:
        self._recent: deque[Hashable] = deque()
        self._counts: Counter[Hashable] = Counter()
        self._present: Counter[Hashable] = Counter()
        self._needs: dict[Hashable, tuple[Need, ...]] = {}
        self._total = 0
        self._next = FIRST

    def saw(self, key: Hashable, needs: tuple[Need, ...]) -> None:
        """One more arrival."""
        self._needs.setdefault(key, needs)
        self._recent.append(key)
        self._counts[key] += 1
        self._total += 1
        if len(self._recent) > REMEMBERED:
            oldest = self._recent.popleft()
            self._counts[oldest] -= 1
            self._drop(oldest)

    def started(self, key: Hashable) -> None:
        """One that was seen arriving has a place now."""
        self._present[key] += 1

    def ended(self, key: Hashable) -> None:
        """One that had started is gone."""
        self._present[key] -= 1
        self._drop(key)

    def _drop(self, key: Hashable) -> None:
        """Forget a shape that is neither recent nor there."""
        if self._counts[key] <= 0 and self._present[key] <= 0:
            for known in (self._counts, self._present, self._needs):
                known.pop(key, None)

    def is_due(self) -> bool:
        """Whether the mix should be priced now; the next time is after as many arrivals again."""
        if self._total < self._next:
            return False
        self._next = self._total + min(self._total, REMEMBERED)
        return True

    def mix(self) -> tuple[Demand, ...]:
        """The weight of each shape, in an order that does not depend on the arrivals'."""
        weights = {key: self._counts[key] + self._present[key] for key in self._needs}
        return tuple(Demand(self._needs[key], weight) for key, weight in sorted(weights.items(), key=repr))
