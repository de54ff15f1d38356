"""One member of a gang ends badly: the others stop, the try is judged once, and any kill in between is repaired."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from scheduling.errors import TooFewMachines
from scheduling.executors.fake import Script
from scheduling.lifecycle import AttemptState, JobState, job_after, worst_of
from scheduling.models import Job
from scheduling.services.execution import drive
from tests.gangs import GangStage, end_of, live, machines, states

LONG = Script(duration_ms=None)
FAILED = [(1, 0, "cancelled", "member_ended"), (1, 1, "failed", "exit_nonzero")]


@pytest.fixture
def stage(tmp_path: Path) -> GangStage:
    return GangStage(tmp_path)


def test_one_fails_and_the_others_are_stopped(stage: GangStage) -> None:
    stage.scripts = {0: LONG, 1: Script(duration_ms=2000, exit_code=3)}
    job = stage.submit(1, 1)
    stage.run(6)
    assert states(job) == FAILED
    assert end_of(job) == ("failed", "exit_nonzero", {"exit_code": 3, "member": "part-1"})


def test_one_that_cannot_be_launched_stops_the_one_that_was(stage: GangStage) -> None:
    stage.scripts = {0: LONG, 1: Script(refusal="no such image"), 2: LONG}
    job = stage.submit(1, 1, 1)
    stage.run(3)
    assert [state for _, _, state, _ in states(job)] == ["cancelled", "failed", "cancelled"]
    assert end_of(job) == ("failed", "launch_refused", {"member": "part-1"})
    assert len(stage.specs) <= 2  # the third was never started


def test_one_is_lost_and_all_are_tried_again_elsewhere(stage: GangStage) -> None:
    stage.scripts = {0: LONG, 1: Script(duration_ms=1000, vanishes=True)}
    job = stage.submit(3, 3)
    lost_on = ""
    while (1, 1, "lost", "lost") not in states(job):
        stage.run(1)
    lost_on = job.attempts.get(ordinal=1, member=1).node.name
    stage.scripts = {}
    stage.run(8)
    assert [s for _, _, s, _ in states(job)] == ["cancelled", "lost", "succeeded", "succeeded"]
    assert end_of(job)[0] == "succeeded"
    assert lost_on not in job.attempts.filter(ordinal=2).values_list("node__name", flat=True)


def test_a_gang_that_is_lost_again_and_again_gives_up(stage: GangStage) -> None:
    stage.scripts = {0: LONG, 1: Script(duration_ms=1000, vanishes=True)}
    job = stage.submit(1, 1)
    stage.run(25)
    assert {ordinal for ordinal, *_ in states(job)} == {1, 2, 3}
    assert end_of(job) == ("failed", "lost", {"member": "part-1"})


def test_a_driver_killed_between_two_launches_goes_on(stage: GangStage, monkeypatch: pytest.MonkeyPatch) -> None:
    job = stage.submit(1, 1)
    stage.place()
    launch, launched = stage.engine.launch, list[str]()

    def once(key: str, spec: object) -> None:
        if launched:
            raise SystemExit  # kill -9 before the second launch
        launched.append(key)
        launch(key, spec)  # type: ignore[arg-type]

    monkeypatch.setattr(stage.engine, "launch", once)
    with pytest.raises(SystemExit):
        stage.drive()
    assert [state for _, _, state, _ in states(job)] == ["starting", "placing"]
    monkeypatch.undo()
    stage.run(6)
    assert end_of(job)[0] == "succeeded" and len(stage.specs) == 2


def test_a_driver_killed_after_one_has_failed_still_stops_the_others(stage: GangStage) -> None:
    stage.scripts = {0: LONG, 1: Script(duration_ms=0, exit_code=3)}
    job = stage.submit(1, 1)
    stage.place()
    while not job.attempts.filter(member=1, state="failed").exists():
        stage.drive()
    assert end_of(job)[0] in ("admitted", "active") and live(job) == [0]
    drive(stage.ports, now_ms=stage.now_ms + 1)  # another process, that knows nothing but the rows
    stage.now_ms += 1
    stage.drive(3)
    assert (states(job), end_of(job)[0]) == (FAILED, "failed")


def test_never_two_live_attempts_of_one_member(stage: GangStage) -> None:
    stage.scripts = {0: Script(duration_ms=2000, vanishes=True), 1: LONG}
    job = stage.submit(1, 1)
    seen: list[Sequence[int]] = []
    stage.run(20, lambda: seen.append(live(job)))
    assert all(len(set(members)) == len(members) for members in seen)


def test_a_gang_waits_while_too_few_machines_have_room(tmp_path: Path) -> None:
    stage = GangStage(tmp_path, count=2)
    job = stage.submit(3, 1, runs_s=60)
    stage.run(2)
    waits = stage.submit(2, 2)
    stage.place()
    state, reason, facts = end_of(waits)
    assert (state, reason, facts["possible"]) == ("queued", "waiting_nodes", True)
    assert (facts["nearest"]["need"], facts["nearest"]["have"]) == (2, 1)
    assert end_of(job)[0] == "active"
    machines("n9", "n8", now_ms=stage.now_ms)
    assert stage.place().placed == 1


def test_one_local_machine_is_no_place_for_a_gang(tmp_path: Path) -> None:
    stage = GangStage(tmp_path, count=0)
    machines("here", engine="local")
    with pytest.raises(TooFewMachines) as refused:
        stage.submit(1, 1)
    assert (refused.value.need, refused.value.have) == (2, 1)
    assert "there is 1 that would do" in str(refused.value) and not Job.objects.exists()


@pytest.mark.parametrize(
    ("ends", "worst"),
    [
        (("succeeded", "succeeded"), 0),
        (("cancelled", "failed", "failed"), 1),
        (("failed", "lost", "cancelled"), 1),
        (("succeeded", "preempted"), 1),
    ],
)
def test_the_worst_member_speaks_for_all(ends: Sequence[str], worst: int) -> None:
    assert worst_of([AttemptState(state) for state in ends]) == worst


def test_what_becomes_of_a_job_is_a_table() -> None:
    lost = {asked: job_after(AttemptState.LOST, "lost", asked=asked, may_retry=True) for asked in ("", "cancelled")}
    assert lost == {"": JobState.QUEUED, "cancelled": JobState.CANCELLED}
    assert job_after(AttemptState.FAILED, "exit_nonzero", asked="preempted", may_retry=True) is JobState.FAILED
    assert job_after(AttemptState.CANCELLED, "over_budget", asked="over_budget", may_retry=True) is JobState.OVER_BUDGET
    assert job_after(AttemptState.LOST, "lost", asked="", may_retry=False) is JobState.FAILED
