"""When will a gang that fits nowhere now start?

The question that backfill.py answers for one node, over all nodes at once: members may go where there is room already
and where there will be. More room never hurts, so the earliest end is found by halving.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence

from scheduling.crater.backfill import Asks, Reservation, reservation
from scheduling.crater.model import Placement, Running


def reserve_gang(running: Sequence[Running], asks: Asks) -> Reservation | None:
    """The earliest certain start of all members; None when they would not fit with all of these jobs gone."""
    line = sorted(running, key=lambda r: (r.ends_ms, r.key))
    ends = sorted({r.ends_ms for r in line})

    def gone_by(number: int) -> list[Running]:
        return [r for r in line if r.ends_ms <= ends[number]]

    found = first_answered(len(ends), lambda number: asks.place(_keys(gone_by(number))))
    if found is None:
        return None
    number, placement = found
    return reservation(placement, ends[number], gone_by(number), asks.free)


def first_answered(count: int, tried: Callable[[int], Placement | None]) -> tuple[int, Placement] | None:
    """The first number below `count` that is answered, where every later one is answered too."""
    known: dict[int, Placement] = {}

    def answered(number: int) -> bool:
        found = tried(number)
        if found is not None:
            known[number] = found
        return found is not None

    far = 1
    while far < count and not answered(far - 1):
        far *= 2
    far = min(far, count)
    if not count or (far - 1 not in known and not answered(far - 1)):
        return None
    first = bisect_left(range(far - 1), True, lo=far // 2, key=answered) if far > 1 else 0
    return (first, known[first]) if first in known else None


def _keys(running: Sequence[Running]) -> frozenset[str]:
    return frozenset(r.key for r in running)
