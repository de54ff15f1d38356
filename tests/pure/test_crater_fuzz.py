"""Whatever is written into a snapshot, the answer is a plan or a typed error, and what was sound is still served."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.kernel.errors import Invalid
from scheduling.crater.compiled import FAST
from scheduling.crater.model import Device, Need, Node, Plan, Request, Snapshot
from scheduling.crater.plan import plan
from scheduling.crater.planner import Planner
from scheduling.crater.schedule import schedule
from scheduling.crater.sound import BadSnapshot
from tests.pure.crater_cases import cluster, cores, gpu_node, job, plain_node
from tests.pure.crater_trees import card, link
from tests.pure.crater_wild import devices, requests, wildernesses

many = settings(max_examples=300, deadline=None)


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
