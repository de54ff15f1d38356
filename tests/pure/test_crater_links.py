"""Traffic is booked on every link it crosses, and a full link turns a device down by name."""

from dataclasses import replace

from scheduling.crater.model import Node, Refusal
from scheduling.crater.plan import plan
from scheduling.crater.planner import Planner
from tests.pure.crater_cases import cluster, job
from tests.pure.crater_links import CARD, READS, placed, refused, two_switches
from tests.pure.crater_trees import card, drive, link


def test_traffic_is_booked_on_the_link_above() -> None:
    assert placed(two_switches(), CARD)["a"] == {"pcie_bandwidth": 20}


def test_card_and_drive_of_one_job_pay_together() -> None:
    assert placed(two_switches(), CARD, READS)["a"] == {"pcie_bandwidth": 30}


def test_every_link_up_to_the_root_pays() -> None:
    node = Node("n", (card("g", "switch"), link("switch", parent="root"), link("root")))
    assert set(placed(node, CARD)) == {"g", "switch", "root"}


def test_a_saturated_switch_is_avoided() -> None:
    assert "b" in placed(two_switches(free=10), CARD)


def test_two_busy_cards_go_to_two_switches() -> None:
    assert {"a", "b"} <= set(placed(two_switches(), replace(CARD, count=2)))


def test_later_jobs_see_what_earlier_ones_put_on_a_link() -> None:
    queue = tuple(job(f"j{index}", CARD) for index in range(3))
    made = plan(cluster(two_switches(), queue=queue))
    assert len(made.placements) == 2
    assert made.refusals[0].nearest is not None and made.refusals[0].nearest.type == "link"


def test_the_refusal_names_the_link_and_how_much_less_would_do() -> None:
    node = Node("n", (card("g", "a"), link("a", free=15)))
    refusal = refused(node, CARD)
    nearest, change = refusal.nearest, refusal.relaxations[0]
    assert nearest is not None and (nearest.device, nearest.dimension, nearest.short) == ("a", "pcie_bandwidth", 5)
    assert (change.type, change.dimension, change.to) == ("gpu", "pcie_bandwidth", 15)


def test_a_link_too_full_for_all_together_is_named_too() -> None:
    node = Node("n", (card("g", "a"), drive("d", "a"), link("a", free=24)))
    refusal = refused(node, CARD, READS)
    assert refusal.nearest is not None and (refusal.nearest.device, refusal.nearest.need) == ("a", 30)
    assert {(c.type, c.to) for c in refusal.relaxations} == {("gpu", 16), ("storage", 8)}


def test_the_quick_answer_names_the_link_as_well() -> None:
    node = Node("n", (card("g", "a"), link("a", free=15)))
    answer = Planner(cluster(node)).decide(job("j", CARD))
    assert isinstance(answer, Refusal) and answer.nearest is not None and answer.nearest.device == "a"
