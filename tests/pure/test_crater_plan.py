"""The planner on clusters small enough to read."""

from scheduling.crater.model import Constraint, Need, Policy, Price, Runtime
from scheduling.crater.plan import plan
from tests.pure.crater_cases import GIB, NOW, cluster, cores, disk, gpu_node, job, memory, plain_node

MEMORY = Need("memory", amounts={"memory_bytes": GIB})
HALF_GPU = Need("gpu", shares={"gpu_sm": 500_000})


def test_a_small_job_gets_one_core_of_its_own() -> None:
    made = plan(cluster(plain_node(cores=2), queue=(job("a", cores(1000), MEMORY), job("b", cores(1000)))))
    assert [p.picks[0].cpus for p in made.placements] == [(0,), (1,)]


def test_part_of_a_core_takes_the_whole_core_when_cores_are_pinned() -> None:
    placement = plan(cluster(plain_node(), queue=(job("a", cores(1200)),))).placements[0]
    assert placement.picks[0].amounts == {"cpu_millicores": 2000}
    assert placement.picks[0].cpus == (0, 1)


def test_gpu_and_memory_come_from_one_numa_node() -> None:
    only_node_1 = Need("gpu", constraints=(Constraint("numa_node", "eq", 1),), shares={"gpu_sm": 1})
    placement = plan(cluster(gpu_node(), queue=(job("a", cores(1000), MEMORY, only_node_1),))).placements[0]
    assert {pick.numa_node for pick in placement.picks} == {1}


def test_two_halves_share_the_fuller_card() -> None:
    made = plan(cluster(gpu_node(), queue=(job("a", HALF_GPU), job("b", HALF_GPU))))
    assert len({p.picks[0].device for p in made.placements}) == 1


def test_two_needs_of_one_job_may_share_a_card() -> None:
    whole = Need("gpu", shares={"gpu_sm": 1_000_000})
    made = plan(cluster(gpu_node(), queue=(job("a", HALF_GPU, HALF_GPU), job("b", whole))))
    assert len(made.placements) == 2


def test_a_job_without_gpu_leaves_the_gpu_node_alone() -> None:
    placement = plan(cluster(gpu_node("a-gpu"), plain_node("plain"), queue=(job("a", cores(1000)),))).placements[0]
    assert placement.node == "plain"
    assert round(sum(term.weight for term in placement.score), 9) == 1


def test_least_slack_goes_first_and_fifo_goes_by_age() -> None:
    soon = job("soon", cores(4000), deadline_ms=NOW + 9_000, runtime=Runtime(1000, 2000, "history", 1))
    late = job("late", cores(4000), deadline_ms=NOW + 99_000, priority=9)
    assert plan(cluster(plain_node(), queue=(late, soon))).placements[0].job == "soon"
    old = job("old", cores(4000), policy=Policy.FIFO)
    assert plan(cluster(plain_node(), queue=(old, late))).placements[0].job == "late"


def test_cost_follows_the_share_that_is_taken() -> None:
    price = Price("n1/numa0/cpu", "cpu_millicores", 4_000_000_000)
    asked = job("a", cores(1000), runtime=Runtime(1_800_000, 1_800_000, "declared"))
    placement = plan(cluster(plain_node(), queue=(asked,), prices=(price,))).placements[0]
    assert placement.predicted_nano == 500_000_000


def test_a_cap_below_the_price_is_refused_with_both_figures() -> None:
    price = Price("n1/numa0/cpu", "cpu_millicores", 4_000_000_000)
    asked = job("a", cores(1000), cap_nano=7, runtime=Runtime(3_600_000, 3_600_000, "declared"))
    refusal = plan(cluster(plain_node(), queue=(asked,), prices=(price,))).refusals[0]
    assert refusal.nearest is not None
    assert (refusal.nearest.rule, refusal.nearest.need, refusal.nearest.have) == ("cap", 1_000_000_000, 7)
    assert refusal.relaxations[0].to == 1_000_000_000


def test_an_avoided_node_is_used_only_when_no_other_fits() -> None:
    both = cluster(plain_node("a"), plain_node("b"), queue=(job("j", cores(1000), avoid_nodes=("a",)),))
    assert plan(both).placements[0].node == "b"
    alone = cluster(plain_node("a"), queue=(job("j", cores(1000), avoid_nodes=("a",)),))
    assert plan(alone).placements[0].node == "a"


def test_memory_without_a_known_bandwidth_is_no_memory_with_zero_bandwidth() -> None:
    from_node = plain_node()
    unknown = memory("n1", bandwidth=None)
    node = type(from_node)("n1", (unknown, disk("n1")))
    wants = Need("memory", amounts={"memory_bandwidth": 10**9})
    nearest = plan(cluster(node, queue=(job("a", wants),))).refusals[0].nearest
    assert nearest is not None and (nearest.rule, nearest.have) == ("capacity", None)
