"""A batch is committed whole or not at all, under the same laws as one by one."""

import pytest

from alldata.outbox.models import OutboxEvent
from alldata.tenancy.viewer import Viewer
from scheduling.crater.model import Placement
from scheduling.crater.plan import plan
from scheduling.models import Allocation, Attempt, Decision, DeviceCapacity, Job, PlannerInput
from scheduling.services.bulk import commit_batch
from scheduling.services.placement import commit, place_waiting
from scheduling.services.recording import record_input
from scheduling.snapshot import build_snapshot
from tests.world import NOW, FlatRates, home, machine, reserved_cores, submitted


@pytest.fixture
def viewer() -> Viewer:
    machine(cores=8)
    return home()


def _planned(viewer: Viewer, count: int) -> tuple[PlannerInput, dict[str, Job], list[Placement]]:
    for _ in range(count):
        submitted(viewer)
    snapshot = build_snapshot(prices=FlatRates(), now_ms=NOW)
    jobs = {str(job.pk): job for job in Job.objects.all()}
    return record_input(snapshot), jobs, list(plan(snapshot).placements)


def test_a_batch_leaves_what_single_commits_leave(viewer: Viewer) -> None:
    for _ in range(4):
        submitted(viewer)
    assert place_waiting(prices=FlatRates(), now_ms=NOW).placed == 4
    assert set(Attempt.objects.values_list("state", "ordinal")) == {("placing", 1)}
    assert sorted(c for a in Allocation.objects.all() for c in a.cpus) == [0, 1, 2, 3]
    assert reserved_cores() == 4000
    assert Decision.objects.filter(outcome="placed").count() == 4
    told = OutboxEvent.objects.filter(name="job.moved", fields__to="admitted").values_list("fields__job_id", flat=True)
    assert sorted(told) == sorted(str(pk) for pk in Job.objects.values_list("pk", flat=True))


def test_a_batch_with_one_moved_job_is_undone(viewer: Viewer) -> None:
    seen, jobs, placements = _planned(viewer, 3)
    Job.objects.filter(pk=next(iter(jobs))).update(state="cancelled")
    assert not commit_batch(placements, seen=seen, now_ms=NOW)
    assert not Attempt.objects.exists()
    assert reserved_cores() == 0


def test_a_batch_without_room_is_undone(viewer: Viewer) -> None:
    seen, _, placements = _planned(viewer, 3)
    DeviceCapacity.objects.filter(device__type="cpu").update(reserved_cpu_millicores=6000)
    assert not commit_batch(placements, seen=seen, now_ms=NOW)
    assert not Allocation.objects.exists()


def test_a_refused_batch_is_committed_one_by_one(viewer: Viewer) -> None:
    for _ in range(3):
        submitted(viewer)
    snapshot = build_snapshot(prices=FlatRates(), now_ms=NOW)
    decided = plan(snapshot)
    Job.objects.filter(pk=decided.placements[0].job).update(state="cancelled")
    done = commit(snapshot, decided, now_ms=NOW)
    assert (done.placed, done.conflicted) == (2, 1)


def test_a_core_is_not_given_twice(viewer: Viewer) -> None:
    seen, _, placements = _planned(viewer, 2)
    assert commit_batch(placements[:1], seen=seen, now_ms=NOW)
    Job.objects.update(state="queued")
    Attempt.objects.update(state="lost")
    assert not commit_batch(placements[:1], seen=seen, now_ms=NOW)
