"""Nobody cheaper could stop for a gang, and nobody stops who need not; brute force says the same."""

from dataclasses import replace
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.gang_victims import victims_of_gang
from scheduling.crater.model import Node, Request, Running
from scheduling.crater.preempt import Victims, losses_of, stoppable
from scheduling.crater.site import PlannedSite, booked
from tests.pure.crater_cases import NOW, cluster, cores, job, plain_node
from tests.pure.crater_gangs import gang, running_as

Case = tuple[Request, tuple[Node, ...], list[Running]]


@st.composite
def contests(draw: st.DrawFn) -> Case:
    """A gang of higher rank than most of what runs: jobs and gangs of all sizes that have lost more or less."""
    nodes = tuple(
        replace(plain_node(f"n{number}"), simulated=draw(st.integers(0, 2)) == 0)
        for number in range(draw(st.integers(2, 5)))
    )
    sizes = st.integers(1, 4).map(lambda size: 1000 * size)
    running: list[Running] = []
    for number in range(draw(st.integers(1, 6))):
        members = draw(st.lists(sizes, min_size=1, max_size=2))
        one = job(f"r{number}", cores(members[0])) if len(members) == 1 else gang(f"r{number}", *members)
        request = replace(one, priority=draw(st.sampled_from((0, 0, 0, 2))))
        placement = PlannedSite(cluster(*nodes)).place(request)
        since = NOW - draw(st.integers(0, 90_000))
        for part in running_as(placement, request, NOW + 900, preemptible=draw(st.integers(0, 4)) > 0):
            nodes = tuple(booked(n, part.picks, 1) if n.name == part.node else n for n in nodes)
            running.append(replace(part, started_ms=since, saved_ms=since, leaving=draw(st.integers(0, 5)) == 0))
    return gang("new", *draw(st.lists(sizes, min_size=2, max_size=len(nodes))), priority=1), nodes, running


def chosen(case: Case) -> Victims | None:
    request, nodes, running = case
    site = PlannedSite(cluster(*nodes), running)
    return victims_of_gang(request, running, losses_of(running, nodes, NOW), site)


def cheapest(case: Case) -> int | None:
    """Every set of those who may be stopped, tried by brute force."""
    request, nodes, running = case
    losses, site = losses_of(running, nodes, NOW), PlannedSite(cluster(*nodes), running)
    leaving = {r.key for r in running if r.leaving}
    allowed = {r.job: losses[r.key] for r in stoppable(request, running)}
    sets = [names for size in range(len(allowed) + 1) for names in combinations(sorted(allowed), size)]
    found = []
    for names in sets:
        gone = leaving | {r.key for r in running if r.job in names}
        if site.place(request, frozenset(gone)) is not None:
            found.append(sum(allowed[name] for name in names))
    return min(found, default=None)


@settings(max_examples=300, deadline=None)
@given(contests())
def test_no_set_of_victims_is_cheaper(case: Case) -> None:
    found = chosen(case)
    assert (found.loss if found else None) == cheapest(case)


@given(contests())
def test_only_lower_ranks_stop_and_gangs_as_a_whole(case: Case) -> None:
    request, _, running = case
    found = chosen(case)
    stops = set(found.jobs) if found else set()
    allowed = {r.key: r.job for r in stoppable(request, running)}
    assert stops <= set(allowed)
    assert all((key in stops) == (allowed[key] in {allowed[stop] for stop in stops}) for key in allowed)


def test_of_many_small_jobs_only_those_on_two_machines_stop() -> None:
    """Were the jobs that lose least taken first, wherever they are, nearly all would stop."""
    nodes, running = [], []
    for number in range(30):
        node = plain_node(f"n{number:02d}")
        for part in range(4):
            request = job(f"r{number:02d}.{part}", cores(1000))
            (one,) = running_as(PlannedSite(cluster(node)).place(request), request, NOW + 900, preemptible=True)
            node = booked(node, one.picks, 1)
            running.append(replace(one, started_ms=NOW - 1000 * part, saved_ms=NOW - 1000 * part))
        nodes.append(node)
    found = chosen((gang("new", 4000, 4000, priority=1), tuple(nodes), running))
    assert found is not None and len(found.jobs) == 8
