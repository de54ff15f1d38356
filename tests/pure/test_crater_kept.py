"""The law of memory: a plan with what was kept from rounds before is the plan without."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.compiled import FAST
from scheduling.crater.kept import Memory
from scheduling.crater.model import Demand, Device, Node, Plan, Price, Snapshot
from scheduling.crater.schedule import schedule
from scheduling.crater.site import booked
from tests.pure.crater_busy import busy
from tests.pure.crater_cases import cluster, cores, job, plain_node, snapshots
from tests.pure.crater_trees import trees

few = settings(max_examples=60, deadline=None)
FULL = {"free": lambda d: replace(d, free=d.capacity), "taken": lambda d: replace(d, free=dict.fromkeys(d.free, 0))}
OTHER = {
    **FULL,
    "no core is free": lambda d: replace(d, cpus=(), pins=True),
    "sick": lambda d: replace(d, usable=not d.usable, unusable_reason="hot"),
    "sick otherwise": lambda d: replace(d, unusable_reason="cold"),
    "absurd": lambda d: replace(d, free=dict.fromkeys(d.free, -1)),
    "capacity": lambda d: replace(d, capacity={n: 2 * a for n, a in d.capacity.items()}),
    "attributes": lambda d: replace(d, attributes={**d.attributes, "model": "b"}),
}


def _turned(draw: st.DrawFn, node: Node) -> Node:
    """The machine after something happened to it, or the very same."""
    what = draw(st.sampled_from(["same", "same", "equal", "drain", "device"]))
    if what == "device" and node.devices:
        at = draw(st.integers(0, len(node.devices) - 1))
        changed = OTHER[draw(st.sampled_from(sorted(OTHER)))](node.devices[at])
        return replace(node, devices=(*node.devices[:at], changed, *node.devices[at + 1 :]))
    return node if what in ("same", "device") else replace(node, usable=node.usable ^ (what == "drain"))


def _prices(draw: st.DrawFn, devices: Sequence[Device]) -> tuple[Price, ...]:
    return tuple(Price(d.uuid, name, draw(st.integers(0, 3)) * 10**9) for d in devices for name in d.capacity)


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[Snapshot, bool]]:
    """Rounds on one cluster to which things happen, and whether what each of them decided was committed."""
    first, others = draw(busy() | trees()), draw(snapshots())
    mixes = [(), tuple(Demand(r.needs, 1) for r in first.queue), tuple(Demand(r.needs, 2, 5) for r in others.queue)]
    rounds, seen = [], first
    for number in range(draw(st.integers(2, 5))):
        rounds.append((replace(seen, now_ms=seen.now_ms + number), draw(st.booleans())))
        nodes = [_turned(draw, node) for node in seen.nodes if draw(st.integers(0, 9))]
        lost = [node for node in first.nodes if node.name not in {n.name for n in nodes} and draw(st.booleans())]
        seen = replace(seen, nodes=(*nodes, *lost), mix=draw(st.sampled_from([seen.mix, *mixes])))
        seen = replace(seen, queue=first.queue if draw(st.booleans()) else others.queue)
        if draw(st.booleans()):
            seen = replace(seen, prices=_prices(draw, [d for n in seen.nodes for d in n.devices]))
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
