"""A gang in a round: its reservation is kept, nobody behind it delays it, and nobody is stopped needlessly for it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.model import Node, Placement, Request, Running, Snapshot
from scheduling.crater.outlook import start_of
from scheduling.crater.schedule import schedule
from scheduling.crater.site import PlannedSite, booked
from tests.pure.crater_cases import NOW, cluster, cores, job, plain_node
from tests.pure.crater_gangs import gang, lasting, running_as

few = settings(max_examples=120, deadline=None)


def busy(nodes: tuple[Node, ...], *jobs: tuple[Request, int, bool]) -> Snapshot:
    """These run (if they fit one after the other) until an instant, and may be stopped or not."""
    found: list[Running] = []
    for request, ends_ms, preemptible in jobs:
        placement = PlannedSite(cluster(*nodes)).place(request)
        for one in running_as(placement, request, ends_ms, preemptible=preemptible):
            nodes = tuple(booked(n, one.picks, 1) if n.name == one.node else n for n in nodes)
            found.append(one)
    return replace(cluster(*nodes), running=tuple(found))


@st.composite
def crowds(draw: st.DrawFn) -> tuple[Snapshot, tuple[Node, ...]]:
    """Running jobs and gangs with sure ends, then a queue whose jobs all fit the empty cluster."""
    nodes = tuple(plain_node(f"n{number}") for number in range(draw(st.integers(2, 4))))
    sizes = st.integers(1, 4).map(lambda size: 1000 * size)

    def asked(name: str) -> Request:
        if draw(st.booleans()):
            return gang(name, *draw(st.lists(sizes, min_size=2, max_size=len(nodes))))
        return job(name, cores(draw(sizes)))

    jobs = [(asked(f"r{i}"), NOW + draw(st.integers(1, 9)), False) for i in range(draw(st.integers(0, 4)))]
    queue = tuple(lasting(asked(f"q{i}"), draw(st.integers(1, 9))) for i in range(draw(st.integers(1, 5))))
    return replace(busy(nodes, *jobs), queue=queue), nodes


def starts(snapshot: Snapshot, idle: tuple[Node, ...], *, is_backfilling: bool) -> dict[str, int]:
    """Job -> start, round by round until all have run; without backfilling nobody passes a waiting job."""
    found: dict[str, int] = {}
    while snapshot.queue:
        chosen = schedule(snapshot).placements
        if not is_backfilling:
            chosen = chosen[: _unbroken([r.job for r in snapshot.queue], [p.job for p in chosen])]
        snapshot = _begun(snapshot, chosen, found)
        now_ms = min((r.ends_ms for r in snapshot.running), default=snapshot.now_ms + 1)
        left = tuple(r for r in snapshot.running if r.ends_ms > now_ms)
        nodes = tuple(booked(n, [p for r in left if r.node == n.name for p in r.picks], 1) for n in idle)
        snapshot = replace(snapshot, now_ms=now_ms, running=left, nodes=nodes)
    return found


def _unbroken(waiting: Sequence[str], chosen: Sequence[str]) -> int:
    pairs = enumerate(zip(waiting, chosen, strict=False))
    return next((count for count, (one, other) in pairs if one != other), len(chosen))


def _begun(snapshot: Snapshot, chosen: Sequence[Placement], found: dict[str, int]) -> Snapshot:
    begun = list(snapshot.running)
    for placement in chosen:
        request = next(r for r in snapshot.queue if r.job == placement.job)
        assert request.runtime is not None
        begun += running_as(placement, request, snapshot.now_ms + request.runtime.p90_ms)
        found[placement.job] = snapshot.now_ms
    return replace(snapshot, running=tuple(begun), queue=tuple(r for r in snapshot.queue if r.job not in found))


@few
@given(crowds())
def test_the_head_is_never_delayed_by_those_who_pass(case: tuple[Snapshot, tuple[Node, ...]]) -> None:
    snapshot, idle = case
    head = schedule(snapshot).head
    if head is not None:
        passing, alone = (starts(snapshot, idle, is_backfilling=flag)[head.job] for flag in (True, False))
        assert passing <= head.start_ms and passing <= alone


@few
@given(crowds())
def test_a_round_never_overcommits_and_splits_no_gang(case: tuple[Snapshot, tuple[Node, ...]]) -> None:
    snapshot, _ = case
    taken: Counter[tuple[str, str]] = Counter()
    asked = {request.job: len({need.component for need in request.needs}) for request in snapshot.queue}
    for placement in schedule(snapshot).placements:
        assert len(placement.nodes) == len(set(placement.nodes)) == asked[placement.job]
        for pick in placement.picks:
            taken.update({(pick.device, name): amount for name, amount in pick.amounts.items()})
    free = {(d.uuid, name): amount for n in snapshot.nodes for d in n.devices for name, amount in d.free.items()}
    assert all(amount <= free[key] for key, amount in taken.items())


@few
@given(crowds())
def test_the_reserved_instant_is_the_earliest(case: tuple[Snapshot, tuple[Node, ...]]) -> None:
    """One running job less is too few: with only those gone that end before, the head does not fit."""
    snapshot, _ = case
    made = schedule(snapshot)
    if made.head is None or made.placements:
        return
    request = next(r for r in snapshot.queue if r.job == made.head.job)
    site = PlannedSite(snapshot, snapshot.running)
    gone = frozenset(r.key for r in snapshot.running if r.ends_ms < made.head.start_ms)
    assert site.place(request, gone) is None
    gone |= {r.key for r in snapshot.running if r.ends_ms == made.head.start_ms}
    assert site.place(request, gone) is not None


def test_a_gang_waits_for_the_last_of_the_machines_it_needs() -> None:
    nodes = (plain_node("a"), plain_node("b"), plain_node("c"))
    snapshot = busy(nodes, (job("x", cores(4000)), NOW + 50, False), (job("y", cores(4000)), NOW + 30, False))
    head = schedule(replace(snapshot, queue=(gang("g", 2000, 2000),))).head
    assert head is not None and head.start_ms == NOW + 30


@pytest.mark.parametrize(
    ("millicores", "lasts_ms", "starts"), [(2000, 900, False), (1000, 900, True), (2000, 40, True)]
)
def test_every_machine_of_a_reservation_is_kept(millicores: int, lasts_ms: int, starts: bool) -> None:
    """The gang waits for `a`; `b` has room for its second member, and so it stays."""
    snapshot = busy((plain_node("a"), plain_node("b")), (job("x", cores(4000)), NOW + 50, False))
    behind = lasting(job("q", cores(millicores)), lasts_ms)
    made = schedule(replace(snapshot, queue=(lasting(gang("g", 3000, 3000, priority=1), 9), behind)))
    assert made.head is not None and (made.head.node, made.head.start_ms) == ("a, b", NOW + 50)
    assert ([p.node for p in made.placements] == ["b"]) is starts


def test_lower_rank_stops_for_a_gang_and_nobody_needlessly() -> None:
    nodes = (plain_node("a"), plain_node("b"), plain_node("c"))
    low = [(job(name, cores(4000)), NOW + 900, True) for name in ("x", "y", "z")]
    head = schedule(replace(busy(nodes, *low), queue=(gang("g", 2000, 2000, priority=5),))).head
    assert head is not None and len(head.stops) == 2 and head.start_ms <= NOW


def test_a_gang_that_is_stopped_is_stopped_once_and_whole() -> None:
    nodes = (plain_node("a"), plain_node("b"))
    snapshot = busy(nodes, (gang("low", 4000, 4000), NOW + 900, True))
    one = schedule(replace(snapshot, queue=(job("one", cores(4000), priority=5),))).head
    both = schedule(replace(snapshot, queue=(gang("two", 4000, 4000, priority=5),))).head
    assert one is not None and both is not None
    assert one.stops == both.stops == ("low",) and one.losses == both.losses


def test_a_waiting_gang_is_told_when_it_would_start() -> None:
    nodes = (plain_node("a"), plain_node("b"))
    snapshot = busy(nodes, (gang("old", 2000, 2000), NOW + 900, False))
    queue = (lasting(gang("g", 3000, 3000), 5),)
    start = start_of(replace(snapshot, queue=queue), snapshot.running, "g", slow=False)
    assert start is not None and (start.at_ms, start.placement.nodes) == (NOW + 900, ("a", "b"))
