"""GPUs of one job go to the tightest NVLink island that suffices; big islands stay whole."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.model import Device, Need, Node, Request
from scheduling.crater.plan import plan
from tests.pure.crater_cases import cluster, job
from tests.pure.crater_trees import card, pool

few = settings(max_examples=150, deadline=None)


def island(name: str, size: int, busy: int = 0, numa: int | None = 0) -> list[Device]:
    """`size` cards, of which the last `busy` are taken."""
    cards = [card(f"{name}/{index}", numa=numa, island=name) for index in range(size)]
    return [replace(c, free={**c.free, "gpu_sm": 0}) if index >= size - busy else c for index, c in enumerate(cards)]


def wants(count: int, same: str = "nvlink_island", **more: object) -> Request:
    return job("j", Need("gpu", count, amounts={"gpu_sm": 1_000_000}), same=same, **more)


def chosen(request: Request, *islands: list[Device]) -> set[str]:
    made = plan(cluster(Node("n", tuple(d for found in islands for d in found)), queue=(request,)))
    return {pick.device.split("/")[0] for placement in made.placements for pick in placement.picks}


def test_two_cards_go_to_the_island_of_two() -> None:
    assert chosen(wants(2), island("eight", 8), island("four", 4), island("two", 2)) == {"two"}


def test_three_cards_go_to_the_island_of_four() -> None:
    assert chosen(wants(3), island("eight", 8), island("four", 4), island("two", 2)) == {"four"}


def test_what_is_left_of_a_broken_island_is_used_before_a_whole_one() -> None:
    assert chosen(wants(2), island("eight", 8, busy=6), island("four", 4)) == {"eight"}


def test_no_island_is_big_enough() -> None:
    assert chosen(wants(5), island("four", 4), island("other", 4)) == set()


def test_a_job_that_only_asks_for_one_numa_node_gets_one_island_where_it_can() -> None:
    assert len(chosen(wants(2, "numa"), island("a", 2, busy=1), island("b", 2, busy=1), island("c", 4))) == 1
    assert chosen(wants(4, "numa"), island("a", 2), island("b", 2)) == {"a", "b"}


def test_memory_comes_from_a_numa_node_of_the_island() -> None:
    node = Node("n", (*island("a", 2, numa=1), pool("m0", 0), pool("m1", 1)))
    request = replace(wants(2), needs=(*wants(2).needs, Need("memory", amounts={"memory_bytes": 1})))
    picks = plan(cluster(node, queue=(request,))).placements[0].picks
    assert {pick.numa_node for pick in picks} == {1}


def test_an_island_over_two_numa_nodes_is_split_only_where_it_must_be() -> None:
    both = [*island("a", 4, numa=0), *[replace(c, uuid=f"{c.uuid}x") for c in island("a", 4, numa=1)]]
    picks = plan(cluster(Node("n", tuple(both)), queue=(wants(3),))).placements[0].picks
    assert len({pick.numa_node for pick in picks}) == 1
    assert len(plan(cluster(Node("n", tuple(both)), queue=(wants(6),))).placements) == 1


islands = st.lists(st.tuples(st.sampled_from([2, 4, 8]), st.integers(0, 8)), min_size=1, max_size=4)


@few
@given(islands, st.integers(1, 8))
def test_the_chosen_island_is_the_best_by_brute_force(sizes: list[tuple[int, int]], count: int) -> None:
    """Fewest cards left, then the smaller island, then its name."""
    built = {f"i{i}": island(f"i{i}", size, min(size, busy)) for i, (size, busy) in enumerate(sizes)}
    free = {name: sum(d.free["gpu_sm"] > 0 for d in cards) for name, cards in built.items()}
    enough = [(free[name], len(built[name]), name) for name in built if free[name] >= count]
    assert chosen(wants(count), *built.values()) == ({min(enough)[2]} if enough else set())
