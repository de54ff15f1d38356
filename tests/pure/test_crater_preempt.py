"""The cheapest victims, never of equal rank, and no loops."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.model import Request
from scheduling.crater.preempt import victims
from scheduling.crater.running import Running, rank
from tests.pure.crater_rooms import Rooms, started, units_of, wants

Case = tuple[Request, list[Running], dict[str, int], dict[str, int]]


@st.composite
def contests(draw: st.DrawFn) -> Case:
    """A newcomer, running jobs on one or two nodes, their losses, and what the nodes offer."""
    sizes = draw(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2), st.integers(0, 50)), max_size=7))
    running, losses, offered = [], {}, {"n0": 0, "n1": 0}
    for index, (units, priority, loss) in enumerate(sizes):
        node = f"n{index % 2}"
        running.append(started(wants(f"r{index}", units, priority=priority), node, 0))
        losses[f"r{index}"] = loss
        offered[node] += units
    offered = {node: units + draw(st.integers(0, 2)) for node, units in offered.items()}
    return wants("new", draw(st.integers(1, 8)), priority=draw(st.integers(0, 3))), running, losses, offered


def cheapest(case: Case) -> int | None:
    """Every set on every node, tried by brute force."""
    request, running, losses, offered = case
    allowed = [r for r in running if rank(r.request) < rank(request)]
    site, found = Rooms(offered, running), list[int]()
    for node in offered:
        here = [r.job for r in allowed if r.node == node]
        for size in range(1, len(here) + 1):
            for names in combinations(here, size):
                if site.left(node, frozenset(names)) >= units_of(request):
                    found.append(sum(losses[n] for n in names))
    return min(found, default=None)


@settings(max_examples=300, deadline=None)
@given(contests())
def test_no_set_of_victims_is_cheaper(case: Case) -> None:
    request, running, losses, offered = case
    chosen = victims(request, running, losses, lambda node, gone: Rooms(offered, running).fits(request, node, gone))
    assert (chosen.loss if chosen else None) == cheapest(case)


@given(contests())
def test_only_lower_ranks_stop(case: Case) -> None:
    request, running, losses, offered = case
    chosen = victims(request, running, losses, lambda node, gone: Rooms(offered, running).fits(request, node, gone))
    by_job = {r.job: r.request for r in running}
    assert all(rank(by_job[name]) < rank(request) for name in (chosen.jobs if chosen else ()))
