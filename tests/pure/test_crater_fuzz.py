"""Whatever is written into a snapshot, the answer is a plan or a typed error, and what was sound is still served."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.kernel.errors import Invalid
from scheduling.crater.compiled import FAST
from scheduling.crater.model import Constraint, Device, Near, Need, Node, Plan, Price, Request, Runtime, Snapshot
from scheduling.crater.plan import plan
from scheduling.crater.planner import Planner
from scheduling.crater.schedule import schedule
from scheduling.crater.sound import BadSnapshot
from tests.pure.crater_cases import NOW, cluster, cores, gpu_node, job, plain_node
from tests.pure.crater_trees import card, link

many = settings(max_examples=300, deadline=None)

WILD = [float("nan"), float("inf"), -float("inf"), 1e308, 2**70, 2**63 - 1, 2**53, -1, 0, 1, 1000, 0.5, None, "x", True]
NAMES = ["cpu_millicores", "memory_bytes", "gpu_sm", "pcie_bandwidth", "storage_queue_slots", "nonsense", ""]
wild = st.sampled_from(WILD)
amounts: st.SearchStrategy[Mapping[str, int]] = st.dictionaries(st.sampled_from(NAMES), wild, max_size=3)  # type: ignore[arg-type]
kinds = st.sampled_from(["cpu", "memory", "gpu", "storage", "link", "", "tape"])
uuids = st.sampled_from(["a", "b", "c", "d", "e"])
attributes = st.dictionaries(st.sampled_from(["model", "nvlink_island", "isolation", "numa_node"]), wild, max_size=2)


@st.composite
def devices(draw: st.DrawFn) -> Device:
    numa, parent = draw(st.sampled_from([None, 0, 1, -1, 2**70, float("nan")])), draw(st.none() | uuids)
    cpus = tuple(draw(st.lists(st.sampled_from([0, 1, 1, -1, 2**70, 0.5]), max_size=3)))
    return Device(
        draw(uuids), draw(kinds), numa, parent, draw(amounts), draw(amounts), draw(attributes), draw(st.booleans()),  # type: ignore[arg-type]
        None, cpus,  # type: ignore[arg-type]
    )  # fmt: skip


@st.composite
def needs(draw: st.DrawFn) -> Need:
    op = draw(st.sampled_from(["eq", "in", "min", "max", "regex", "version_min", "nonsense"]))
    value = draw(wild | st.just("(") | st.tuples(wild))
    rules = (Constraint(draw(st.sampled_from(["model", "gpu_sm", "none"])), op, value),) if draw(st.booleans()) else ()
    return Need(draw(kinds), draw(st.sampled_from([1, 1, 2, 0, -1, 2**70, 1.5])), rules, draw(amounts), draw(amounts))  # type: ignore[arg-type]


@st.composite
def requests(draw: st.DrawFn) -> Request:
    same = draw(st.sampled_from(["numa", "pcie_root", "nvlink_island", "node", "rack"]))
    runtime = draw(st.none() | st.builds(Runtime, wild, wild, st.just("declared")))
    near = (Near("", same),) if draw(st.integers(0, 4)) == 0 else ()
    return Request(
        draw(st.sampled_from(["j1", "j2", "j3"])), tuple(draw(st.lists(needs(), max_size=3))), draw(wild),  # type: ignore[arg-type]
        same=same, allow_cross_numa=draw(st.booleans()), deadline_ms=draw(wild), cap_nano=draw(wild),  # type: ignore[arg-type]
        priority=draw(wild), runtime=runtime, near=near, is_spread=draw(st.booleans()),  # type: ignore[arg-type]
    )  # fmt: skip


@st.composite
def wildernesses(draw: st.DrawFn) -> Snapshot:
    named = st.builds(Node, st.sampled_from(["n", "m"]), st.lists(devices(), max_size=4).map(tuple))
    prices = tuple(
        draw(st.lists(st.builds(Price, uuids, st.sampled_from(NAMES), st.sampled_from([1, 0, -1, 0.5])), max_size=1))
    )
    return Snapshot(
        NOW, tuple(draw(st.lists(named, max_size=2))), tuple(draw(st.lists(requests(), max_size=3))), prices
    )


@many
@given(wildernesses())
def test_a_plan_or_a_typed_error(snapshot: Snapshot) -> None:
    for decide in (plan, schedule):
        try:
            made = decide(snapshot)
        except Invalid:
            continue
        assert isinstance(made, Plan)
        assert len(made.placements) + len(made.refusals) == len({request.job for request in snapshot.queue})


@many
@given(
    requests(),
    st.lists(devices().map(lambda d: replace(d, uuid=f"wild/{d.uuid}")), max_size=3, unique_by=lambda d: d.uuid),
)
def test_what_is_sound_is_served_beside_what_is_not(bad: Request, broken: list[Device]) -> None:
    good = replace(job("good", cores(1000)), priority=2**60)
    made = plan(cluster(plain_node(), Node("broken", tuple(broken)), queue=(good, replace(bad, priority=0))))
    assert "good" in {placement.job for placement in made.placements}


def test_an_absurd_amount_is_refused_by_name() -> None:
    refusal = plan(cluster(plain_node(), queue=(job("a", Need("cpu", amounts={"cpu_millicores": 2**70})),))).refusals[0]
    assert refusal.nearest is not None
    assert (refusal.nearest.rule, refusal.nearest.dimension, refusal.possible) == ("invalid", "cpu_millicores", False)


def test_a_device_with_an_absurd_capacity_says_so() -> None:
    node = Node("n", (replace(card("g"), capacity={"gpu_sm": 2**63}),))
    refusal = plan(cluster(node, queue=(job("a", Need("gpu", amounts={"gpu_sm": 1})),))).refusals[0]
    assert ("unusable", "invalid_value") in {(s.rule, s.have) for s in refusal.shortfalls}


def test_two_devices_of_one_uuid_are_an_error_with_its_name() -> None:
    with pytest.raises(BadSnapshot, match="device GPU-g1-0"):
        plan(cluster(gpu_node("g1"), Node("n", (card("GPU-g1-0"),))))


def test_what_is_told_twice_counts_once() -> None:
    node, asked = plain_node(), job("a", cores(1000))
    once = plan(cluster(node, plain_node("m"), queue=(asked, job("b", cores(9000)))))
    assert plan(cluster(node, node, plain_node("m"), queue=(asked, asked, job("b", cores(9000)), asked))) == once


def test_a_parent_that_nobody_knows_and_a_ring_of_parents_are_no_obstacle() -> None:
    node = Node("n", (card("g", parent="nobody"), link("a", parent="b"), link("b", parent="a"), card("h", parent="a")))
    wants = Need("gpu", amounts={"gpu_sm": 1, "pcie_bandwidth": 10})
    for same in ("numa", "pcie_root", "node"):
        assert plan(cluster(node, queue=(job("j", wants, same=same),))).placements


def test_a_device_of_which_nothing_is_taken_is_a_place_too() -> None:
    for fast in (FAST, False):
        placement = Planner(cluster(plain_node()), fast=fast).place(job("a", Need("memory")))
        assert placement is not None and placement.picks[0].amounts == {}
