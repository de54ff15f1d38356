"""A refusal names the rule, the shortfall and the smallest change that helps."""

from dataclasses import replace

from scheduling.crater.model import Constraint, Need, Refusal
from scheduling.crater.plan import plan
from tests.pure.crater_cases import GIB, cluster, cores, gpu_node, job, plain_node


def refused(*nodes: object, needs: tuple[Need, ...], **more: object) -> Refusal:
    return plan(cluster(*nodes, queue=(job("a", *needs, **more),))).refusals[0]  # type: ignore[arg-type]


def test_a_busy_cluster_refuses_now_but_not_for_ever() -> None:
    refusal = refused(plain_node(used=3), needs=(cores(2000),))
    assert refusal.possible and refusal.counts == {"free": 1}
    assert refusal.nearest is not None and refusal.nearest.short == 1000
    assert [(r.dimension, r.to, r.was) for r in refusal.relaxations] == [("cpu_millicores", 1000, 2000)]


def test_more_than_any_device_has_is_impossible() -> None:
    refusal = refused(plain_node(), needs=(Need("memory", amounts={"memory_bytes": 64 * GIB}),))
    assert not refusal.possible and refusal.counts == {"capacity": 1}


def test_a_type_that_nobody_has() -> None:
    refusal = refused(plain_node(), needs=(cores(1000), Need("gpu")))
    assert refusal.nearest is not None and (refusal.nearest.rule, refusal.nearest.type) == ("no_device", "gpu")


def test_an_empty_cluster_is_an_answer_too() -> None:
    refusal = refused(needs=(cores(1000),))
    assert refusal.counts == {"no_device": 1} and not refusal.possible


def test_a_broken_node_says_so() -> None:
    node = replace(plain_node(), usable=False, unusable_reason="no heartbeat")
    refusal = refused(node, needs=(cores(1000),))
    assert refusal.possible and refusal.nearest is not None and refusal.nearest.have == "no heartbeat"


def test_a_wrong_model_is_relaxed_to_the_one_that_is_there() -> None:
    wants = Need("gpu", constraints=(Constraint("model", "in", ("h100-sxm5-80gb",)),))
    change = refused(gpu_node(), needs=(wants,)).relaxations[0]
    assert (change.rule, change.to, change.was) == ("constraint", "a100-sxm4-40gb", "h100-sxm5-80gb")


def test_two_cards_on_two_numa_nodes_fit_when_crossing_is_allowed() -> None:
    refusal = refused(gpu_node(), needs=(Need("gpu", count=2, shares={"gpu_sm": 1_000_000}),))
    assert refusal.counts == {"alignment": 1}
    assert [r.rule for r in refusal.relaxations] == ["alignment"]


def test_an_old_compute_capability_is_compared_as_a_version() -> None:
    wants = Need("gpu", constraints=(Constraint("compute_capability", "version_min", "sm_90"),))
    shortfall = refused(gpu_node(), needs=(wants,)).nearest
    assert shortfall is not None and (shortfall.need, shortfall.have) == ("sm_90", "8.0")


def test_equal_jobs_get_equal_reasons() -> None:
    queue = tuple(job(name, cores(9000)) for name in ("a", "b"))
    first, second = plan(cluster(plain_node(), queue=queue)).refusals
    assert replace(second, job="a") == first
