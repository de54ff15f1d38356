"""The law of memory: a plan with what was kept from rounds before is the plan without."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.compiled import FAST
from scheduling.crater.kept import Memory
from scheduling.crater.model import Demand, Device, Node, Plan, Price, Runtime, Snapshot
from scheduling.crater.schedule import schedule
from scheduling.crater.site import booked
from tests.pure.crater_busy import busy
from tests.pure.crater_cases import cluster, cores, job, plain_node, snapshots
from tests.pure.crater_trees import trees

few = settings(max_examples=60, deadline=None)
FULL = {"free": lambda d: replace(d, free=d.capacity), "taken": lambda d: replace(d, free=dict.fromkeys(d.free, 0))}
OTHER = {
    **FULL,
    "no core is free": lambda d: replace(d, cpus=(), pins=d.pins or bool(d.cpus)),
    "other cores are free": lambda d: replace(d, cpus=tuple(core + 1 for core in d.cpus)),
    "sick": lambda d: replace(d, usable=not d.usable, unusable_reason="hot"),
    "sick otherwise": lambda d: replace(d, unusable_reason="cold"),
    "absurd": lambda d: replace(d, free=dict.fromkeys(d.free, -1)),
    "capacity": lambda d: replace(d, capacity={n: 2 * a for n, a in d.capacity.items()}),
    "attributes": lambda d: replace(d, attributes={**d.attributes, "model": "b"}),
}


def _turned(draw: st.DrawFn, node: Node) -> Node:
    """The machine after something happened to one of its devices."""
    if not node.devices:
        return node
    at = draw(st.integers(0, len(node.devices) - 1))
    changed = OTHER[draw(st.sampled_from(sorted(OTHER)))](node.devices[at])
    return replace(node, devices=(*node.devices[:at], changed, *node.devices[at + 1 :]))


def _later(draw: st.DrawFn, seen: Snapshot, first: Snapshot, others: Snapshot) -> Snapshot:
    """The cluster after one thing happened to it: to a machine, or to what all of them have in common."""
    at = draw(st.integers(0, max(0, len(seen.nodes) - 1)))
    before, own, after = seen.nodes[:at], seen.nodes[at : at + 1], seen.nodes[at + 1 :]
    match draw(st.sampled_from(["device", "device", "drain", "gone", "back", "equal", "mix", "prices"])):
        case "device":
            own = tuple(_turned(draw, node) for node in own)
        case "drain":
            own = tuple(replace(node, usable=not node.usable) for node in own)
        case "gone":
            own = ()
        case "back":
            after += tuple(node for node in first.nodes if node.name not in {n.name for n in seen.nodes})
        case "equal":
            own = tuple(replace(node) for node in own)
        case "mix":
            mixes = [
                (),
                tuple(Demand(r.needs, 1) for r in first.queue),
                tuple(Demand(r.needs, 2) for r in others.queue),
            ]
            return replace(seen, mix=draw(st.sampled_from(mixes)))
        case "prices":
            return replace(seen, prices=_prices(draw, [d for n in seen.nodes for d in n.devices]))
    return replace(seen, nodes=(*before, *own, *after))


def _prices(draw: st.DrawFn, devices: Sequence[Device]) -> tuple[Price, ...]:
    return tuple(Price(d.uuid, name, draw(st.integers(0, 3)) * 10**9) for d in devices for name in d.capacity)


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[Snapshot, bool]]:
    """Rounds on one cluster to which things happen, and whether what each of them decided was committed."""
    seen, others = draw(busy() | trees()), draw(snapshots())
    hour = Runtime(3_600_000, 7_200_000, "history", 3)
    first = replace(seen, queue=tuple(replace(r, runtime=hour) for r in seen.queue))
    rounds, seen = [], first
    for number in range(draw(st.integers(2, 6))):
        rounds.append((replace(seen, now_ms=seen.now_ms + number), draw(st.booleans())))
        queue = first.queue if draw(st.integers(0, 3)) else others.queue
        seen = replace(_later(draw, seen, first, others), queue=queue)
    return rounds


def _with(placed: Plan, snapshot: Snapshot) -> Snapshot:
    """The cluster with the machines as the plan leaves them; the others stay the same objects."""
    mine = {p.node for p in placed.placements}
    nodes = list(snapshot.nodes)
    for at, node in enumerate(nodes):
        if node.name in mine:
            nodes[at] = booked(node, [pick for p in placed.placements if p.node == node.name for pick in p.picks], 1)
    return replace(snapshot, nodes=tuple(nodes))


def _committed(history: Sequence[tuple[Snapshot, bool]]) -> Iterator[Snapshot]:
    """Each round, and the one after it where its plan stood."""
    for snapshot, stands in history:
        yield snapshot
        if stands:
            yield _with(schedule(snapshot), snapshot)


@pytest.mark.parametrize("fast", [False, pytest.param(True, marks=pytest.mark.skipif(not FAST, reason="no numba"))])
@few
@given(history=histories())
def test_a_plan_with_memory_is_the_plan_without(fast: bool, history: list[tuple[Snapshot, bool]]) -> None:
    memory = Memory(fast=fast)
    for snapshot in _committed(history):
        assert schedule(snapshot, memory=memory) == schedule(snapshot)


def rounds(*seen: Snapshot) -> list[Plan]:
    """The plans of one memory, each of them compared with that of none."""
    memory = Memory()
    made = [schedule(snapshot, memory=memory) for snapshot in seen]
    assert made == [schedule(snapshot) for snapshot in seen]
    return made


def test_room_that_comes_back_is_found() -> None:
    queue = (job("a", cores(2000)),)
    full, empty = cluster(plain_node(used=4), queue=queue), cluster(plain_node(), queue=queue)
    assert [len(made.placements) for made in rounds(full, empty, full, empty)] == [0, 1, 0, 1]


def test_cores_that_others_took_are_not_handed_out() -> None:
    queue = (job("a", cores(2000)),)
    one, other = (cluster(plain_node(used=used), queue=queue) for used in (0, 1))
    assert [made.placements[0].picks[0].cpus for made in rounds(one, other)] == [(0, 1), (1, 2)]


def test_a_price_that_changes_is_quoted() -> None:
    queue = (job("a", cores(1000), runtime=Runtime(3_600_000, 3_600_000, "declared")),)
    prices = [Price("n1/numa0/cpu", "cpu_millicores", rate) for rate in (4, 8)]
    node = plain_node()
    seen = [cluster(node, queue=queue, prices=(price,)) for price in prices]
    assert [made.placements[0].predicted_nano for made in rounds(*seen)] == [1, 2]


def test_what_was_planned_but_not_committed_is_forgotten() -> None:
    memory, seen = Memory(), cluster(plain_node(cores=2), queue=(job("a", cores(2000)),))
    assert schedule(seen, memory=memory).placements
    assert schedule(seen, memory=memory).placements


def test_an_unchanged_cluster_is_not_arranged_again() -> None:
    memory, seen = Memory(), cluster(plain_node(cores=2), queue=(job("a", cores(2000)),))
    schedule(seen, memory=memory)
    kept = memory.lend()
    planner, board = kept.level(seen), kept.level(seen).board
    taken = replace(seen, nodes=(plain_node(cores=2, used=1),))
    assert kept.level(taken) is planner and planner.board is board
    assert kept.level(replace(seen, nodes=(plain_node(cores=3),))) is not planner


def test_what_is_lent_is_nobody_else_s() -> None:
    memory = Memory()
    mine = memory.lend()
    memory.take_back(mine)
    assert memory.lend() is mine and memory.lend() is not mine
