"""How many deadlines are met by queues, by admission, and by us, on equal devices?

All know the same: arrival, deadline, and how long each job lasts on how many devices. `queued` is
the common practice: strict first come or earliest deadline first, nobody refused. `admitted` asks
a Docket; with the asked device count only it is admission-controlled EDF, with every measured count it
is ours. Late or refused jobs do not count as met; a refused job runs nowhere.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from benchmarks.elasticflow import DeadlineJob
from scheduling.crater.admission import Docket
from scheduling.crater.promise import Way

Ways = Callable[[DeadlineJob], Sequence[Way]]


@dataclass(frozen=True, slots=True)
class Refusals:
    """What would have become of refused jobs had each gone before all that waited."""

    impossible: int = 0  # too long even on an empty cluster
    missed: int = 0  # late all the same
    at_others_cost: int = 0  # in time, but at least one promise broken
    needless: int = 0  # in time and nothing broken

    def plus(self, other: "Refusals") -> "Refusals":
        """The sums."""
        return Refusals(
            self.impossible + other.impossible,
            self.missed + other.missed,
            self.at_others_cost + other.at_others_cost,
            self.needless + other.needless,
        )


def queued(jobs: Sequence[DeadlineJob], units: int, *, is_edf: bool) -> int:
    """Deadlines met when the first in line starts as soon as its devices are free."""
    line: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    free, met, index = units, 0, 0
    while index < len(jobs) or ends:
        arrives = jobs[index].arrive_ms if index < len(jobs) else None
        now_ms = ends[0][0] if ends and (arrives is None or ends[0][0] <= arrives) else arrives or 0
        while ends and ends[0][0] <= now_ms:
            free += heappop(ends)[1]
        while index < len(jobs) and jobs[index].arrive_ms <= now_ms:
            heappush(line, (jobs[index].deadline_ms if is_edf else jobs[index].arrive_ms, index))
            index += 1
        while line and jobs[line[0][1]].units <= free:
            job = jobs[heappop(line)[1]]
            free -= job.units
            heappush(ends, (now_ms + job.lasts_ms, job.units))
            met += now_ms + job.lasts_ms <= job.deadline_ms
    return met


def admitted(jobs: Sequence[DeadlineJob], units: int, ways: Ways) -> tuple[int, Refusals]:
    """Deadlines promised, all of which are kept, and what the refusals were worth."""
    docket, promised, refused = Docket(jobs[0].arrive_ms, units), 0, Refusals()
    for job in jobs:
        docket.advance(job.arrive_ms)
        options = ways(job)
        if docket.ask(job.name, job.deadline_ms, options) is not None:
            promised += 1
        else:
            refused = refused.plus(_replayed(docket, job, options, units))
    return promised, refused


def _replayed(docket: Docket, job: DeadlineJob, ways: Sequence[Way], units: int) -> Refusals:
    fitting = [way for way in ways if way.units <= units]
    if all(job.arrive_ms + way.lasts_ms > job.deadline_ms for way in fitting):
        return Refusals(impossible=1)
    broken = docket.broken_by(job.name, job.deadline_ms, fitting)
    if broken is None:
        return Refusals(missed=1)
    return Refusals(at_others_cost=1) if broken else Refusals(needless=1)
