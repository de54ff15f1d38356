"""The whole table of a decision says what the decision said."""

from hypothesis import given, settings

from scheduling.crater.matrix import matrix
from scheduling.crater.model import Constraint, Need, Snapshot
from scheduling.crater.schedule import schedule
from tests.pure.crater_cases import cluster, cores, gpu_node, job, plain_node, snapshots


@settings(max_examples=40, deadline=None)
@given(snapshots())
def test_the_table_repeats_the_decision(snapshot: Snapshot) -> None:
    decided = schedule(snapshot)
    for placement in decided.placements:
        found = matrix(snapshot, placement.job)
        assert found is not None and found.placement == placement
    for refusal in decided.refusals:
        found = matrix(snapshot, refusal.job)
        assert found is not None and found.placement is None


@settings(max_examples=40, deadline=None)
@given(snapshots())
def test_chosen_devices_pass_every_rule(snapshot: Snapshot) -> None:
    for placement in schedule(snapshot).placements:
        found = matrix(snapshot, placement.job)
        assert found is not None
        chosen = [row for row in found.rows if row.chosen and row.device]
        picked = {pick.device for pick in placement.picks}
        assert {row.device for row in chosen if row.ok} == picked


def test_every_rule_is_told_with_its_figures() -> None:
    needs = (Need("gpu", constraints=(Constraint("model", "eq", "h100"),), amounts={"gpu_sm": 500_000}), cores(5000))
    found = matrix(cluster(gpu_node(), plain_node(), queue=(job("a", *needs),)), "a")
    assert found is not None and found.placement is None
    gpu = next(row for row in found.rows if row.device == "GPU-g1-0")
    told = [(c.rule, c.dimension, c.need, c.have, c.ok) for c in gpu.cells]
    assert ("constraint", "model", "h100", "a100-sxm4-40gb", False) in told
    assert ("free", "gpu_sm", 500_000, 1_000_000, True) in told
    cpu = next(row for row in found.rows if row.device == "n1/numa0/cpu")
    assert [(c.rule, c.need, c.have) for c in cpu.cells if not c.ok] == [("capacity", 5000, 4000)]


def test_a_job_is_judged_on_what_those_before_it_left() -> None:
    snapshot = cluster(plain_node(cores=4), queue=(job("a", cores(3000)), job("b", cores(1000))))
    found = matrix(snapshot, "b")
    assert found is not None
    cpu = next(row for row in found.rows if row.type == "cpu")
    assert [cell.have for cell in cpu.cells if cell.rule == "free"] == [1000]


def test_a_job_of_another_snapshot_has_no_table() -> None:
    assert matrix(cluster(plain_node()), "a") is None
