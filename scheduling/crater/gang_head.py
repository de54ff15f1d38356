"""When will a gang that fits nowhere now start, and who must stop for it?

The same questions as backfill.py and preempt.py answer for one node, over all nodes at once: members may go where
there is room already and where there will be. More room never hurts, so the earliest end is found by halving. Whom to
stop: the jobs that lose least, as many as are needed, and of these nobody who could as well go on; unlike on one node
the set is not proved to be the cheapest.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from scheduling.crater.backfill import Asks, Reservation, reservation
from scheduling.crater.model import Placement, Request, Running
from scheduling.crater.preempt import Victims, stoppable

Place = Callable[[frozenset[str]], Placement | None]
#: Jobs that are asked one by one whether they could go on.
MOST_SPARED = 64


def reserve_gang(running: Sequence[Running], asks: Asks) -> Reservation | None:
    """The earliest certain start of all members; None when they would not fit with all of these jobs gone."""
    line = sorted(running, key=lambda r: (r.ends_ms, r.key))
    ends = sorted({r.ends_ms for r in line})

    def gone_by(number: int) -> list[Running]:
        return [r for r in line if r.ends_ms <= ends[number]]

    found = _first(len(ends), lambda number: asks.place(_keys(gone_by(number))))
    if found is None:
        return None
    number, placement = found
    return reservation(placement, ends[number], gone_by(number), asks.free)


def victims_of_gang(
    request: Request, running: Sequence[Running], losses: Mapping[str, int], place: Place
) -> Victims | None:
    """Jobs whose end lets the whole gang start, none of them needlessly; None when no allowed set does."""
    jobs: dict[str, list[Running]] = {}
    for member in stoppable(request, running):
        jobs.setdefault(member.job, []).append(member)
    leaving = {r.key for r in running if r.leaving}
    line = sorted(jobs, key=lambda job: (losses[jobs[job][0].key], job))

    def without(names: Sequence[str]) -> Placement | None:
        return place(frozenset(leaving | {member.key for name in names for member in jobs[name]}))

    found = _first(len(line), lambda number: without(line[: number + 1]))
    if found is None:
        return None
    number, placement = found
    chosen = line[: number + 1]
    for name in list(reversed(chosen))[:MOST_SPARED]:
        fewer = [other for other in chosen if other != name]
        if fewer and (again := without(fewer)) is not None:
            chosen, placement = fewer, again
    keys = tuple(member.key for name in sorted(chosen) for member in jobs[name])
    return Victims(placement.node, keys, sum(losses[jobs[name][0].key] for name in chosen))


def _first(count: int, tried: Callable[[int], Placement | None]) -> tuple[int, Placement] | None:
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
