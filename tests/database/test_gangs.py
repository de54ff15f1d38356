"""A gang from the queue to its end: committed whole, run on machines of its own, judged and released as one."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from scheduling.crater.model import Plan
from scheduling.crater.plan import plan
from scheduling.executors.fake import Script
from scheduling.models import Allocation, Attempt, Decision, DeviceCapacity, Job
from scheduling.services.cancellation import cancel_job
from scheduling.services.commands import Entry, Sla
from scheduling.services.placement import Round, commit
from scheduling.snapshot import build_snapshot
from tests.gangs import GangStage, end_of, live, states
from tests.world import FlatRates


@pytest.fixture
def stage(tmp_path: Path) -> GangStage:
    return GangStage(tmp_path)


def reserved() -> dict[str, int]:
    rows = DeviceCapacity.objects.values_list("device__node__name", "reserved_cpu_millicores")
    return {name: amount for name, amount in rows if amount}


def test_a_gang_is_one_job_with_an_attempt_a_member(stage: GangStage) -> None:
    job = stage.submit(2, 3)
    assert stage.place() == Round(placed=1, refused=0, conflicted=0)
    told = job.attempts.order_by("member").values_list("ordinal", "member", "members", "component", "node__name")
    assert list(told) == [(1, 0, 2, "part-0", "n0"), (1, 1, 2, "part-1", "n1")]
    assert reserved() == {"n0": 2000, "n1": 3000}
    assert Decision.objects.get(job=job).answer["members"][1]["node"] == "n1"


def test_it_runs_once_all_members_run_and_succeeds_once_all_have(stage: GangStage) -> None:
    job = stage.submit(1, 1)
    stage.scripts = {0: Script(duration_ms=2000), 1: Script(duration_ms=6000, start_delay_ms=2000)}
    seen: list[str] = []
    stage.run(12, lambda: seen.append(end_of(job)[0]))
    assert seen == ["admitted"] * 2 + ["active"] * 6 + ["succeeded"] * 4
    assert states(job) == [(1, 0, "succeeded", ""), (1, 1, "succeeded", "")]
    assert job.started_ms == max(a.started_ms or 0 for a in job.attempts.all())
    assert reserved() == {} and set(Allocation.objects.values_list("state", flat=True)) == {"released"}


def test_members_are_told_of_each_other(stage: GangStage) -> None:
    job = stage.submit(1, 4)
    stage.place()
    stage.drive(2)
    by_member = {spec.env["ALLDATA_MEMBER"]: spec for spec in stage.specs.values()}
    assert {member: spec.node for member, spec in by_member.items()} == {"0": "n0", "1": "n1"}
    assert {(s.env["ALLDATA_HOSTS"], s.env["ALLDATA_MEMBERS"]) for s in by_member.values()} == {("n0,n1", "2")}
    assert [len(by_member[member].cpus) for member in "01"] == [1, 4]
    assert job.attempts.count() == len(stage.specs) == 2


def test_without_room_for_one_member_nothing_is_committed(stage: GangStage) -> None:
    job = stage.submit(2, 3)
    snapshot = build_snapshot(prices=FlatRates(), now_ms=stage.now_ms)
    decided = plan(snapshot)
    DeviceCapacity.objects.filter(device__node__name="n1").update(reserved_cpu_millicores=2000)
    assert commit(snapshot, decided, now_ms=stage.now_ms) == Round(placed=0, refused=0, conflicted=1)
    assert (end_of(job)[0], Attempt.objects.count(), reserved()) == ("queued", 0, {"n1": 2000})
    assert Decision.objects.get(job=job).outcome == "conflicted"
    assert stage.place().placed == 1 and sum(reserved().values()) == 7000


def test_a_gang_without_room_never_harms_its_batch(stage: GangStage) -> None:
    gang, other = stage.submit(2, 3), stage.submit(1, 1)
    snapshot = build_snapshot(prices=FlatRates(), now_ms=stage.now_ms)
    decided = plan(snapshot)
    Job.objects.filter(pk=gang.pk).update(state="cancelled")
    assert commit(snapshot, decided, now_ms=stage.now_ms) == Round(placed=1, refused=0, conflicted=1)
    assert other.attempts.count() == 2 and sum(reserved().values()) == 2000


def _half(plan_: Plan) -> Plan:
    whole = plan_.placements[0]
    return Plan((replace(whole, members=whole.members[:1]),))


def _one_node(plan_: Plan) -> Plan:
    whole = plan_.placements[0]
    first, second = whole.members
    beside = tuple(replace(pick, cpus=(3,)) for pick in first.picks)
    return Plan((replace(whole, members=(first, replace(second, node=first.node, picks=beside))),))


def _another_ones_devices(plan_: Plan) -> Plan:
    whole = plan_.placements[0]
    first, second = whole.members
    return Plan((replace(whole, members=(first, replace(second, picks=first.picks))),))


def _no_members(plan_: Plan) -> Plan:
    return Plan((replace(plan_.placements[0], members=()),))


@pytest.mark.parametrize("broken", [_half, _one_node, _another_ones_devices, _no_members])
def test_a_broken_core_starts_no_half_gang_and_oversubscribes_nothing(stage: GangStage, broken) -> None:  # type: ignore[no-untyped-def]
    job = stage.submit(1, 1)
    snapshot = build_snapshot(prices=FlatRates(), now_ms=stage.now_ms)
    assert commit(snapshot, broken(plan(snapshot)), now_ms=stage.now_ms).placed == 0
    assert (end_of(job)[0], Attempt.objects.count(), reserved()) == ("queued", 0, {})
    assert Decision.objects.get(job=job).outcome == "conflicted"
    assert stage.place().placed == 1


def test_the_database_keeps_two_live_attempts_of_one_member_apart(stage: GangStage) -> None:
    job = stage.submit(1, 1)
    stage.place()
    row = job.attempts.get(member=1)
    row.pk, row.ordinal = None, 2
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)
    row.member, row.ordinal = 2, 1
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)  # a third of two


def test_cancelling_stops_all_members(stage: GangStage) -> None:
    job = stage.submit(1, 1, runs_s=50)
    stage.run(2)
    cancel_job(stage.viewer, f"J-{job.number}", now_ms=stage.now_ms)
    stage.run(2)
    assert end_of(job)[:2] == ("cancelled", "cancelled")
    assert [state for _, _, state, _ in states(job)] == ["cancelled"] * 2


def test_a_preempted_gang_stops_as_a_whole_and_comes_back(stage: GangStage) -> None:
    low = stage.submit(4, 4, 4, runs_s=20, sla=Sla(policy="fifo", priority=-10))
    stage.run(3)
    high = stage.submit(4, 4, runs_s=2, sla=Sla(policy="fifo", priority=10))
    stage.run(40)
    assert [state for _, _, state, _ in states(low)] == ["preempted"] * 3 + ["succeeded"] * 3
    assert (end_of(high)[0], end_of(low)[0], low.preemptions) == ("succeeded", "succeeded", 1)


def test_a_gangs_outputs_are_its_first_members(stage: GangStage, tmp_path: Path) -> None:
    (tmp_path / "model").write_text("weights")
    left = {"model.onnx": str(tmp_path / "model")}
    stage.scripts = {0: Script(outputs=left), 1: Script()}
    job = stage.submit(1, 1, entry=Entry(command=("run", "1"), outputs=("model.onnx",)))
    stage.run(4)
    assert end_of(job)[0] == "succeeded" and [a.name for a in job.artifacts.all()] == ["model.onnx"]
    stage.scripts = {0: Script(), 1: Script(outputs=left)}
    bare = stage.submit(1, 1, entry=Entry(command=("run", "1"), outputs=("model.onnx",)))
    stage.run(4)
    assert end_of(bare) == ("failed", "missing_output", {"missing": ["model.onnx"], "member": "part-0"})
    assert [a.name for a in bare.artifacts.all()] == ["part-1/model.onnx"]
    assert live(bare) == []
