"""What has been asked for lately, and how often? The demand mix, learned from arrivals alone.

`saw` counts every arrival; the newest REMEMBERED make the mix. `is_due` says when the mix has
changed enough to be worth pricing again (market.py): after the first arrivals often, later seldom.
"""

from collections import Counter, deque
from collections.abc import Hashable

from scheduling.crater.model import Demand, Need

REMEMBERED = 8_000
FIRST = 100  # fewer arrivals than this say too little about the mix


class Observed:
    """Arrivals by shape; equal keys ask for equal needs."""

    def __init__(self) -> None:
        self._recent: deque[Hashable] = deque()
        self._counts: Counter[Hashable] = Counter()
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
            if not self._counts[oldest]:
                del self._counts[oldest], self._needs[oldest]

    def is_due(self) -> bool:
        """Whether the mix should be priced now; the next time is after as many arrivals again."""
        if self._total < self._next:
            return False
        self._next = self._total + min(self._total, REMEMBERED)
        return True

    def mix(self) -> tuple[Demand, ...]:
        """What came how often, in an order that does not depend on the arrivals'."""
        return tuple(Demand(self._needs[key], count) for key, count in sorted(self._counts.items(), key=repr))
