"""Who must stop so that a gang that fits nowhere now can start, losing as little work as possible?

What stops on one machine makes no room on another: so each member's cheapest set is found machine by machine, as for
any other job (preempt.py), and the members go where these sets lose least together. That is the cheapest there is,
unless a gang may be stopped too, which makes room on several machines and is lost once, or the newcomer's cap rules
machines out. Then nobody is stopped who could as well go on, and cheaper sets of jobs are tried, up to MOST_TRIED.
"""

from bisect import insort
from collections.abc import Callable, Mapping, Sequence

from scheduling.crater.cheapest import sets_by_loss
from scheduling.crater.gang import members_of, shape_of
from scheduling.crater.gang_head import first_answered
from scheduling.crater.model import Placement, Request, Running
from scheduling.crater.preempt import Victims, cheapest_on, stoppable
from scheduling.crater.turns import Site

#: Sets of jobs that are tried on all machines at once; jobs that are asked one by one whether they could go on.
MOST_TRIED, MOST_SPARED = 128, 64

Without = Callable[[Sequence[str]], Placement | None]  # the gang's place, were these jobs gone


def victims_of_gang(
    request: Request, running: Sequence[Running], losses: Mapping[str, int], site: Site
) -> Victims | None:
    """Jobs whose end lets the whole gang start; None when no allowed set does."""
    keys: dict[str, list[str]] = {}
    for member in stoppable(request, running):
        keys.setdefault(member.job, []).append(member.key)
    leaving = {r.key for r in running if r.leaving}
    by_job = {job: losses[own[0]] for job, own in keys.items()}

    def without(jobs: Sequence[str]) -> Placement | None:
        return site.place(request, frozenset(leaving | {key for job in jobs for key in keys[job]}))

    jobs = _Seats(request, running, losses, site).stopped()
    if jobs is None:
        return None
    placement, line = without(jobs), sorted(keys, key=lambda job: (by_job[job], job))
    is_proved = placement is not None and all(len(own) == 1 for own in keys.values())
    if placement is None:  # over the cap on those machines: as many as are needed, those that lose least first
        found = first_answered(len(line), lambda number: without(line[: number + 1]))
        if found is None:
            return None
        jobs, placement = line[: found[0] + 1], found[1]
    if not is_proved:
        jobs, placement = _fewer(jobs, placement, by_job, without)
        jobs, placement = _cheaper(jobs, placement, by_job, without)
    stops = tuple(key for job in sorted(jobs) for key in keys[job])
    return Victims(placement.node, stops, sum(by_job[job] for job in jobs))


class _Seats:
    """The cheapest set for each member on each machine, found when it is asked for."""

    def __init__(self, request: Request, running: Sequence[Running], losses: Mapping[str, int], site: Site) -> None:
        self.losses, self.site = losses, site
        self.members = members_of(request)
        self.here: dict[str, list[Running]] = {}
        for job in stoppable(request, running):
            self.here.setdefault(job.node, []).append(job)
        self.leaving: dict[str, frozenset[str]] = {}
        for job in running:
            if job.leaving:
                self.leaving[job.node] = self.leaving.get(job.node, frozenset()) | {job.key}
        self.job_of = {job.key: job.job for job in running}
        self.found: dict[tuple[object, str], tuple[str, ...]] = {}
        self.least: dict[object, list[int]] = {}

    def stopped(self) -> list[str] | None:
        """The jobs that stop where the members sit best; None when they cannot all be seated."""
        nodes = self.site.seats(self.members, sorted({*self.here, *self.leaving}), self._loss)
        if not nodes:
            return None
        keys = [self.found.get((shape_of(m), node), ()) for m, node in zip(self.members, nodes, strict=True)]
        return sorted({self.job_of[key] for own in keys for key in own})

    def _loss(self, member: Request, node: str) -> int | None:
        """What is lost when the member goes there; None where it cannot, or where others are surely better."""
        shape, leaving = shape_of(member), self.leaving.get(node, frozenset())
        least = self.least.setdefault(shape, [])

        def fits(name: str, gone: frozenset[str]) -> bool:
            return self.site.fits(member, name, gone | leaving)

        loss = 0
        if not fits(node, frozenset()):
            # as many machines as there are members leave one for each of them: a dearer one is never needed
            ceiling = least[len(self.members) - 1] if len(least) >= len(self.members) else None
            best = cheapest_on(node, self.here.get(node, ()), self.losses, fits, ceiling)
            if best is None:
                return None
            self.found[shape, node], loss = best.jobs, best.loss
        insort(least, loss)
        return loss


def _fewer(
    jobs: Sequence[str], placement: Placement, losses: Mapping[str, int], without: Without
) -> tuple[list[str], Placement]:
    """Nobody who could as well go on, the dearest asked first."""
    chosen = list(jobs)
    for job in sorted(jobs, key=lambda job: (-losses[job], job))[:MOST_SPARED]:
        fewer = [other for other in chosen if other != job]
        again = without(fewer) if fewer else None
        if again is not None:
            chosen, placement = fewer, again
    return chosen, placement


def _cheaper(
    jobs: list[str], placement: Placement, losses: Mapping[str, int], without: Without
) -> tuple[list[str], Placement]:
    """A set that loses less, if one is found in time."""
    most = sum(losses[job] for job in jobs)
    for number, (loss, _, names) in enumerate(sets_by_loss(frozenset(losses), losses)):
        if loss >= most or number >= MOST_TRIED:
            break
        again = without(names)
        if again is not None:
            return list(names), again
    return jobs, placement
