"""A gang is placed whole, each member on a node of its own, or not at all; a refusal names the member in the way."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.assignment import assign
from scheduling.crater.matrix import matrix
from scheduling.crater.mix import mix_of
from scheduling.crater.model import Near, Node, Plan, Price, Request, Runtime
from scheduling.crater.plan import plan
from scheduling.crater.planner import Planner
from scheduling.crater.relax import apply
from scheduling.crater.schedule import schedule
from tests.pure.crater_cases import cluster, cores, gpu_node, job, plain_node
from tests.pure.crater_gangs import by_brute_force, gang, gangs

many = settings(max_examples=150, deadline=None)


def planned(request: Request, *nodes: Node) -> Plan:
    return plan(cluster(*nodes, queue=(request,)))


@many
@given(gangs())
def test_a_gang_is_placed_if_and_only_if_there_is_a_way(case: tuple[Request, tuple[Node, ...]]) -> None:
    request, nodes = case
    made, ways = planned(request, *nodes), by_brute_force(request, nodes)
    assert bool(made.placements) == bool(ways)
    assert [p.nodes in ways for p in made.placements] == [True] * len(made.placements)


@many
@given(gangs(), st.randoms(use_true_random=False))
def test_the_order_of_machines_never_matters(case: tuple[Request, tuple[Node, ...]], random: Random) -> None:
    request, nodes = case
    assert planned(request, *random.sample(nodes, len(nodes))) == planned(request, *nodes)


def renamed(node: Node) -> Node:
    """Another name that keeps its place among the others."""
    devices = tuple(replace(device, uuid=f"other-{device.uuid}") for device in node.devices)
    return replace(node, name=f"other-{node.name}", devices=devices)


@many
@given(gangs())
def test_names_never_matter(case: tuple[Request, tuple[Node, ...]]) -> None:
    request, nodes = case
    told = [p.nodes for p in planned(request, *nodes).placements]
    again = planned(replace(request, job="other"), *map(renamed, nodes)).placements
    assert [p.nodes for p in again] == [tuple(f"other-{name}" for name in one) for one in told]


@many
@given(gangs())
def test_what_machine_code_decides_so_does_plain_python(case: tuple[Request, tuple[Node, ...]]) -> None:
    request, nodes = case
    found = [Planner(cluster(*nodes, queue=(request,)), fast=fast).place(request) for fast in (True, False)]
    assert found[0] == found[1]


@many
@given(gangs())
def test_the_job_takes_what_its_members_take(case: tuple[Request, tuple[Node, ...]]) -> None:
    request, nodes = case
    for placement in planned(request, *nodes).placements:
        assert placement.picks == tuple(pick for part in placement.members for pick in part.picks)
        assert [part.member for part in placement.members] == list(range(len(placement.members)))
        assert {part.job for part in placement.members} == {"g"}
        assert len(set(placement.nodes)) == len(placement.nodes)


@many
@given(gangs())
def test_what_is_given_back_is_free_again(case: tuple[Request, tuple[Node, ...]]) -> None:
    request, nodes = case
    planner = Planner(cluster(*nodes, queue=(request,)))
    first = planner.place(request)
    if first is not None:
        planner.give_back("g")
        assert planner.place(request) == first


@many
@given(gangs())
def test_relaxations_let_the_whole_gang_fit(case: tuple[Request, tuple[Node, ...]]) -> None:
    request, nodes = case
    for refusal in planned(request, *nodes).refusals:
        options = {change.option for change in refusal.relaxations}
        for number in options:
            changes = [change for change in refusal.relaxations if change.option == number]
            assert planned(apply(request, changes), *nodes).placements


def test_the_member_that_fits_nowhere_is_the_worst() -> None:
    (refusal,) = planned(gang("g", 1000, 5000, 1000), plain_node("a"), plain_node("b"), plain_node("c")).refusals
    assert (refusal.member, refusal.possible, refusal.job) == ("w.1", False, "g")
    assert refusal.nearest is not None
    assert (refusal.nearest.rule, refusal.nearest.need, refusal.nearest.have) == ("capacity", 5000, 4000)


@pytest.mark.parametrize(("count", "members"), [(1, 2), (1, 3), (2, 3)])
def test_too_few_machines_are_said_in_numbers(count: int, members: int) -> None:
    nodes = [plain_node(f"n{number}") for number in range(count)]
    (refusal,) = planned(gang("g", *[1000] * members), *nodes).refusals
    nearest = refusal.nearest
    assert nearest is not None
    assert (nearest.rule, nearest.need, nearest.have, nearest.short) == ("nodes", members, count, members - count)
    assert refusal.possible is False


def test_what_can_never_be_is_said_of_idle_machines() -> None:
    nodes = plain_node("a"), plain_node("b", used=4), plain_node("c")
    (refusal,) = planned(gang("g", 1000, 1000, 1000, 1000), *nodes).refusals
    assert refusal.nearest is not None and (refusal.nearest.need, refusal.nearest.have) == (4, 3)


def test_a_gang_that_is_only_too_early_is_possible() -> None:
    (refusal,) = planned(gang("g", 3000, 3000), plain_node("a"), plain_node("b", used=2)).refusals
    assert refusal.possible and refusal.nearest is not None and refusal.nearest.rule == "nodes"


def test_simulated_and_real_machines_are_never_mixed() -> None:
    played = [replace(plain_node(f"s{number}"), simulated=True) for number in range(2)]
    (placement,) = planned(gang("g", 1000, 1000), plain_node("real"), *played).placements
    assert placement.nodes == ("s0", "s1")
    assert planned(gang("g", 1000, 1000), plain_node("real"), played[0]).refusals


def test_one_component_alone_is_an_ordinary_job() -> None:
    (placement,) = planned(gang("g", 1000), plain_node("a")).placements
    assert (placement.members, placement.node) == ((), "a")


def test_a_member_may_wish_to_be_near_itself_in_its_own_way() -> None:
    whole = replace(gang("g", 3000, 5000), near=(Near("w.1", "node", True),))
    wide = gpu_node("wide")
    assert planned(whole, plain_node("a"), wide).refusals  # one need is one device: 5 cores of one pool are nowhere
    two = replace(cores(3000), component="w.1", count=2)
    apart = job("g", replace(cores(3000), component="w.0"), two, is_apart=True, near=whole.near)
    (placement,) = planned(apart, plain_node("a"), wide).placements
    assert placement.nodes == ("a", "wide")


def _prices(*nodes: Node) -> tuple[Price, ...]:
    return tuple(Price(f"{n.name}/numa0/cpu", "cpu_millicores", 10**9 * (i + 1)) for i, n in enumerate(nodes))


def test_a_cap_is_for_all_members_together() -> None:
    nodes = [plain_node(f"n{number}") for number in range(3)]
    asks = replace(gang("g", 2000, 2000), runtime=Runtime(3_600_000, 3_600_000, "declared"))
    told = {
        cap: plan(cluster(*nodes, queue=(replace(asks, cap_nano=cap),), prices=_prices(*nodes)))
        for cap in (1_499_999_999, 1_500_000_000)
    }
    (refusal,) = told[1_499_999_999].refusals
    assert refusal.nearest is not None and (refusal.nearest.rule, refusal.nearest.short) == ("cap", 1)
    (placement,) = told[1_500_000_000].placements
    assert (placement.nodes, placement.predicted_nano) == (("n0", "n1"), 1_500_000_000)


def test_each_member_says_how_many_places_it_had() -> None:
    (placement,) = planned(gang("g", 4000, 3000), plain_node("a"), plain_node("b"), plain_node("c", used=1)).placements
    assert [part.candidates for part in placement.members] == [2, 3] and placement.candidates == 2


def test_a_gang_and_a_job_share_what_is_there() -> None:
    snapshot = cluster(plain_node("a"), plain_node("b"), queue=(gang("g", 3000, 3000), job("j", cores(1000))))
    assert {p.job for p in schedule(snapshot).placements} == {"g", "j"}


@many
@given(st.lists(st.dictionaries(st.integers(0, 4), st.integers(-9, 9)), max_size=4))
def test_who_cannot_be_served_is_proved(rows: list[dict[int, int]]) -> None:
    chosen, rivals = assign(rows)
    if rivals:
        assert len(set().union(*(rows[row] for row in rivals))) < len(rivals)
    else:
        assert len(set(chosen)) == len(rows) and all(place in row for place, row in zip(chosen, rows, strict=True))


def test_every_member_has_a_table_of_its_own() -> None:
    snapshot = cluster(plain_node("a"), plain_node("b", used=2), queue=(gang("g", 4000, 2000),))
    found = matrix(snapshot, "g")
    assert found is not None and found.placement is not None
    chosen = {(row.member, row.node) for row in found.rows if row.chosen}
    assert chosen == {(0, "a"), (1, "b")}
    assert {(row.member, row.node) for row in found.rows if not row.ok} == {(0, "b")}


def test_the_mix_knows_members_not_gangs() -> None:
    demands = mix_of([gang("g", 1000, 1000, 2000), job("j", cores(2000))])
    assert sorted((d.needs[0].amounts["cpu_millicores"], d.weight) for d in demands) == [(1000, 2), (2000, 2)]
