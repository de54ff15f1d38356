"""From the queue to an end, with an engine that plays scripts: every end state, and no leak."""

from collections.abc import Callable
from pathlib import Path

import pytest

from alldata.tenancy.viewer import Viewer
from scheduling.executors.fake import FakeExecutor, Script
from scheduling.lifecycle import AllocationState
from scheduling.models import Allocation, Attempt, Job
from scheduling.ports import Ports
from scheduling.selectors.answers import JobRow
from scheduling.services.cancellation import cancel_job
from scheduling.services.commands import Entry
from scheduling.services.execution import drive
from scheduling.services.housekeeping import tidy
from scheduling.services.placement import place_waiting
from scheduling.services.release import release_due
from tests.world import NOW, FlatRates, home, machine, plugged, reserved_cores, submitted


class Stage:
    """A machine, an engine and a clock that moves only when told."""

    def __init__(self, folder: Path, script: Script) -> None:
        self.now_ms = NOW
        self.script = script
        self.engine = FakeExecutor(now_ms=lambda: self.now_ms, script_for=lambda *_: self.script)
        self.ports: Ports = plugged(self.engine, folder)

    def run(self, seconds: int) -> None:
        """Run every loop once a second."""
        for _ in range(seconds):
            machine(now_ms=self.now_ms)
            place_waiting(prices=FlatRates(), now_ms=self.now_ms)
            for _ in range(4):
                drive(self.ports, now_ms=self.now_ms)
            release_due(now_ms=self.now_ms)
            tidy(self.ports, now_ms=self.now_ms)
            self.now_ms += 1000


@pytest.fixture
def viewer() -> Viewer:
    machine()
    return home()


@pytest.fixture
def stage(tmp_path: Path) -> Callable[[Script], Stage]:
    return lambda script: Stage(tmp_path, script)


def _end_of(row: JobRow) -> tuple[str, str]:
    job = Job.objects.get(pk=row.id)
    return job.state, job.reason


@pytest.mark.parametrize(
    ("script", "end"),
    [
        (Script(duration_ms=2000), ("succeeded", "")),
        (Script(exit_code=3), ("failed", "exit_nonzero")),
        (Script(signal=9), ("failed", "killed_by_signal")),
        (Script(reason="out_of_memory", exit_code=1), ("failed", "out_of_memory")),
        (Script(refusal="no such program"), ("failed", "launch_refused")),
        (Script(vanishes=True), ("failed", "lost")),
    ],
)
def test_each_way_to_end(
    viewer: Viewer, stage: Callable[[Script], Stage], script: Script, end: tuple[str, str]
) -> None:
    row = submitted(viewer)
    stage(script).run(30)
    assert _end_of(row) == end


def test_a_job_that_never_ends_is_timed_out(viewer: Viewer, stage: Callable[[Script], Stage]) -> None:
    row = submitted(viewer, timeout_ms=5000)
    stage(Script(duration_ms=None)).run(12)
    assert _end_of(row) == ("failed", "timeout")


def test_a_lost_attempt_is_tried_again_three_times(viewer: Viewer, stage: Callable[[Script], Stage]) -> None:
    row = submitted(viewer)
    stage(Script(vanishes=True)).run(30)
    states = Attempt.objects.filter(job_id=row.id).order_by("ordinal").values_list("state", flat=True)
    assert list(states) == ["lost"] * 3


def test_an_undelivered_output_fails_the_job(viewer: Viewer, stage: Callable[[Script], Stage]) -> None:
    entry = Entry(command=("true",), outputs=("model.onnx",))
    row = submitted(viewer, entry=entry)
    stage(Script()).run(5)
    assert _end_of(row) == ("failed", "missing_output")


def test_a_running_job_stops_when_asked(viewer: Viewer, stage: Callable[[Script], Stage]) -> None:
    row = submitted(viewer)
    scene = stage(Script(duration_ms=None))
    scene.run(3)
    cancel_job(viewer, row.reference, now_ms=scene.now_ms)
    scene.run(3)
    assert _end_of(row) == ("cancelled", "cancelled")


def test_a_queued_job_stops_at_once(viewer: Viewer) -> None:
    row = submitted(viewer)
    assert cancel_job(viewer, row.reference, now_ms=NOW).state == "cancelled"


def test_after_the_end_nothing_is_held(viewer: Viewer, stage: Callable[[Script], Stage]) -> None:
    for _ in range(5):
        submitted(viewer)
    stage(Script(duration_ms=1500)).run(40)
    assert set(Allocation.objects.values_list("state", flat=True)) == {AllocationState.RELEASED}
    assert reserved_cores() == 0
    assert not Attempt.objects.filter(forgotten_ms=None).exists()


def test_two_drivers_launch_once(viewer: Viewer, stage: Callable[[Script], Stage]) -> None:
    submitted(viewer)
    scene = stage(Script(duration_ms=None))
    place_waiting(prices=FlatRates(), now_ms=NOW)
    drive(scene.ports, now_ms=NOW)
    drive(scene.ports, now_ms=NOW)
    assert Attempt.objects.get().state == "running"
