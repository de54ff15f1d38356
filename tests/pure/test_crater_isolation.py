"""A share of a card is given only where the card can keep two jobs apart; else the whole card is held."""

from dataclasses import replace

from scheduling.crater.model import Need, Node
from scheduling.crater.plan import plan
from tests.pure.crater_cases import GIB, cluster, gpu, job

HALF = Need("gpu", shares={"gpu_sm": 500_000}, amounts={"gpu_memory_bytes": 12 * GIB})


def test_a_card_that_cannot_isolate_is_held_whole() -> None:
    made = plan(cluster(Node("n", (gpu("g", isolation="none"),)), queue=(job("a", HALF), job("b", HALF))))
    assert made.placements[0].picks[0].amounts == {"gpu_sm": 1_000_000, "gpu_memory_bytes": 40 * GIB}
    assert [refusal.job for refusal in made.refusals] == ["b"]


def test_a_card_that_can_is_shared() -> None:
    made = plan(cluster(Node("n", (gpu("g", isolation="mps"),)), queue=(job("a", HALF), job("b", HALF))))
    assert len(made.placements) == 2


def test_the_refusal_names_the_rule() -> None:
    half_free = Node("n", (gpu("g", free_ppm=500_000, isolation="none"),))
    refusal = plan(cluster(half_free, queue=(job("a", HALF),))).refusals[0]
    assert refusal.nearest is not None and (refusal.nearest.rule, refusal.nearest.dimension) == ("isolation", "gpu_sm")
    assert not refusal.relaxations and refusal.possible


def test_a_card_that_is_full_is_not_free_whatever_it_could_isolate() -> None:
    taken = Node("n", (gpu("g", free_ppm=0, isolation="none"),))
    refusal = plan(cluster(taken, queue=(job("a", HALF),))).refusals[0]
    assert refusal.nearest is not None and refusal.nearest.rule == "free"


def test_a_card_of_which_nothing_is_asked_is_held_too() -> None:
    made = plan(cluster(Node("n", (gpu("g", isolation="none"),)), queue=(job("a", Need("gpu")), job("b", HALF))))
    assert len(made.placements) == 1


def test_bandwidth_is_not_taken_whole() -> None:
    sends = replace(HALF, amounts={"hbm_bandwidth": 100})
    made = plan(cluster(Node("n", (gpu("g", isolation="none"),)), queue=(job("a", sends),)))
    assert made.placements[0].picks[0].amounts["hbm_bandwidth"] == 100
