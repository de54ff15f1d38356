"""Traffic is booked on every link it crosses, and a full link turns a device down by name."""

from dataclasses import replace

from scheduling.crater.explain import judge
from scheduling.crater.model import Device, Need, Node, Placement, Refusal
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import ways
from scheduling.crater.plan import plan
from scheduling.crater.planner import Planner
from tests.pure.crater_cases import cluster, job
from tests.pure.crater_trees import card, drive, link

CARD = Need("gpu", amounts={"gpu_sm": 1_000_000, "pcie_bandwidth": 20})
READS = Need("storage", amounts={"storage_bandwidth": 10})


def two_switches(free: int = 30) -> Node:
    """Two cards and a drive under each of two switches; `free` is what the first still carries."""
    near = [card("g0", "a"), card("g1", "a"), drive("d0", "a"), link("a", free=free)]
    return Node("n", (*near, card("g2", "b"), card("g3", "b"), drive("d1", "b"), link("b")))


def placed(node: Node, *needs: Need, **more: object) -> dict[str, dict[str, int]]:
    """Device -> amounts of the one job."""
    return {
        p.device: dict(p.amounts) for p in plan(cluster(node, queue=(job("j", *needs, **more),))).placements[0].picks
    }


def refused(node: Node, *needs: Need) -> Refusal:
    return plan(cluster(node, queue=(job("j", *needs),))).refusals[0]


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


def test_what_is_given_back_frees_the_link() -> None:
    planner = Planner(cluster(Node("n", (card("g", "a"), card("h", "a"), link("a")))))
    assert isinstance(planner.decide(job("one", CARD)), Placement)
    assert isinstance(planner.decide(job("two", CARD)), Refusal)
    planner.give_back("one")
    assert isinstance(planner.decide(job("two", CARD)), Placement)


def test_a_link_that_takes_nothing_new_turns_its_devices_down() -> None:
    broken = replace(link("a"), usable=False, unusable_reason="overcommitted")
    nearest = refused(Node("n", (card("g", "a"), broken)), CARD).nearest
    assert nearest is not None and (nearest.rule, nearest.device, nearest.have) == ("unusable", "a", "overcommitted")


def test_a_link_of_unknown_speed_limits_nothing() -> None:
    unknown = Device("a", "link", 0, None, {}, {})
    assert set(placed(Node("n", (card("g", "a"), unknown)), CARD)) == {"g"}


def test_a_job_that_states_no_traffic_is_not_turned_down_by_a_full_link() -> None:
    quiet = Need("gpu", amounts={"gpu_sm": 1_000_000})
    assert set(placed(Node("n", (card("g", "a"), link("a", free=0))), quiet)) == {"g"}


def test_a_tree_that_bites_its_tail_ends_where_it_does() -> None:
    node = Node("n", (link("a", parent="b"), link("b", parent="a"), card("g", "a")))
    assert [found.uuid for found in ways(node.devices)["g"]] == ["a", "b"]
    assert set(placed(node, CARD)) == {"g", "a", "b"}


def test_nodes_without_links_have_no_ways() -> None:
    assert ways((card("g"), drive("d"))) == {}
    assert judge(job("j", CARD), Node("n", (card("g"),)), Occupancy((card("g"),))).unmet == 0
