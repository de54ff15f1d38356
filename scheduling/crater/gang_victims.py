"""Who must stop so that a gang that fits nowhere now can start, losing as little work as possible?

What stops on one machine makes no room on another: so each member's cheapest set is found machine by machine, as for
any other job (preempt.py), and the members go where these sets lose least together. That is the cheapest there is,
unless a gang may be stopped too, which makes room on several machines and is lost once, or the newcomer's cap rules
machines out. Then nobody is stopped who could as well go on, and cheaper sets of jobs are tried, up to MOST_TRIED.
"""

from collections.abc import Callable, Mapping, Sequence

from scheduling.crater.cheapest import sets_by_loss
from scheduling.crater.gang import members_of, shape_of
from scheduling.crater.gang_head import first_answered
from scheduling.crater.model import Placement, Request, Running
from scheduling.crater.preempt import Victims, by_node, cheapest_on, leaving_by_node, stoppable
from scheduling.crater.turns import Site

#: Sets of jobs that are tried on all machines at once; jobs that are asked one by one whether they could go on.
MOST_TRIED, MOST_SPARED = 128, 64

Without = Callable[[Sequence[str]], Placement | None]  # the gang's place, were these jobs gone


def victims_of_gang(
    request: Request, running: Sequence[Running], losses: Mapping[str, int], site: Site
) -> Victims | None:
    """Jobs whose end lets the whole gang start; None when no allowed set does."""
    keys: dict[str, list[str]] = {}
    able, leaving = stoppable(request, running), leaving_by_node(running)
    for member in able:
        keys.setdefault(member.job, []).append(member.key)
    gone = frozenset[str]().union(*leaving.values())
    by_job = {job: losses[own[0]] for job, own in keys.items()}

    def without(jobs: Sequence[str]) -> Placement | None:
        return site.place(request, gone.union(*(keys[job] for job in jobs)))

    seated = _seated(members_of(request), able, leaving, losses, site)
    jobs = min(seated, key=lambda jobs: sum(by_job[job] for job in jobs), default=None)
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


def _seated(
    members: Sequence[Request],
    able: Sequence[Running],
    leaving: Mapping[str, frozenset[str]],
    losses: Mapping[str, int],
    site: Site,
) -> list[list[str]]:
    """The jobs that stop where the members lose least together, on real machines and on simulated ones.

    A gang never mixes them; a kind on which not all can be seated is left out.
    """
    here = by_node(able)
    found: dict[tuple[object, str], tuple[str, ...]] = {}

    def loss(member: Request, node: str, ceiling: int | None) -> int | None:
        anyway = leaving.get(node, frozenset())

        def fits(name: str, gone: frozenset[str]) -> bool:
            return site.fits(member, name, gone | anyway)

        if fits(node, frozenset()):
            return 0
        best = cheapest_on(node, here.get(node, ()), losses, fits, ceiling)
        if best is None:
            return None
        found[shape_of(member), node] = best.jobs
        return best.loss

    def stops(nodes: Sequence[str]) -> list[str]:
        sets = [found.get((shape_of(member), node), ()) for member, node in zip(members, nodes, strict=True)]
        return sorted({job_of[key] for keys in sets for key in keys})

    job_of = {job.key: job.job for job in able}
    ways = [site.seats(members, sorted({*here, *leaving}), loss, simulated=kind) for kind in (False, True)]
    return [stops(nodes) for nodes in ways if nodes]


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
