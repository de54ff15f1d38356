"""What is given back frees a link; links that are odd, unknown or absent limit nothing they should not."""

from dataclasses import replace

from scheduling.crater.explain import judge
from scheduling.crater.model import Device, Need, Node, Placement, Refusal
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import ways
from scheduling.crater.planner import Planner
from tests.pure.crater_cases import cluster, job
from tests.pure.crater_links import CARD, placed, refused
from tests.pure.crater_trees import card, drive, link


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
