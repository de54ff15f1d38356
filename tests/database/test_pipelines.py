"""A finished training job is served, loaded and judged once, whatever dies in between."""

import json
from pathlib import Path

import pytest

from alldata.outbox.tasks import relay
from alldata.tenancy.viewer import Viewer
from scheduling.executors.base import AttemptKey, LaunchSpec
from scheduling.executors.fake import FakeExecutor, Script
from scheduling.lifecycle import JobState
from scheduling.models import Job, PipelineRun
from scheduling.selectors.answers import JobRow
from scheduling.services.commands import Entry
from scheduling.services.execution import drive
from scheduling.services.pipelines import advance, start_pipeline
from scheduling.services.placement import place_waiting
from scheduling.services.release import release_due
from tests.world import NOW, FlatRates, home, machine, plugged, submitted

ENTRY = Entry(command=("python", "train.py"), outputs=("model.onnx", "report.json"))


class Factory:
    """Plays a trainer that leaves a model and a server that runs until it is stopped."""

    def __init__(self, folder: Path, report: str) -> None:
        self.now_ms = NOW
        self.folder = folder
        (folder / "model.onnx").write_bytes(b"onnx")
        (folder / "report.json").write_text(report)
        engine = FakeExecutor(now_ms=lambda: self.now_ms, script_for=self.script)
        self.ports = plugged(engine, folder)

    def script(self, key: AttemptKey, spec: LaunchSpec) -> Script:
        if spec.ports:
            return Script(duration_ms=None)
        return Script(outputs={name: str(self.folder / name) for name in spec.outputs})

    def run(self, seconds: int) -> None:
        for _ in range(seconds):
            machine(now_ms=self.now_ms)
            relay()
            advance(self.ports, now_ms=self.now_ms)
            place_waiting(prices=FlatRates(), now_ms=self.now_ms)
            for _ in range(4):
                drive(self.ports, now_ms=self.now_ms)
            release_due(now_ms=self.now_ms)
            self.now_ms += 1000


def _report(**changes: object) -> str:
    samples = {"rows": [[0.0, 1.0]], "labels": [1]}
    plain = {"accuracy": 0.97, "features": 2, "classes": 10, "onnx_matches": True, "samples": samples}
    return json.dumps(plain | changes)


@pytest.fixture
def viewer() -> Viewer:
    machine()
    return home()


def _trained(viewer: Viewer, factory: Factory) -> JobRow:
    row = submitted(viewer, entry=ENTRY)
    factory.run(6)
    return row


def test_success_starts_one_server_without_a_hand(viewer: Viewer, tmp_path: Path) -> None:
    row = _trained(viewer, Factory(tmp_path, _report()))
    run = PipelineRun.objects.get(trigger_id=row.id)
    assert run.step == "serve"
    serve = run.serve_job
    assert serve is not None
    assert (serve.kind, serve.mode, serve.state) == ("serve", "inference", JobState.ACTIVE)


def test_a_repeated_completion_starts_nothing_more(viewer: Viewer, tmp_path: Path) -> None:
    row = _trained(viewer, Factory(tmp_path, _report()))
    for _ in range(3):
        start_pipeline(job_id=str(row.id), now_ms=NOW)
    assert PipelineRun.objects.count() == 1
    assert Job.objects.count() == 2


def test_a_crash_after_submitting_submits_no_second_server(viewer: Viewer, tmp_path: Path) -> None:
    factory = Factory(tmp_path, _report())
    row = _trained(viewer, factory)
    PipelineRun.objects.filter(trigger_id=row.id).update(step="package", serve_job=None)
    factory.run(2)
    assert Job.objects.filter(kind="serve").count() == 1


def test_a_server_that_never_answers_fails_and_is_let_go(viewer: Viewer, tmp_path: Path) -> None:
    factory = Factory(tmp_path, _report())
    row = _trained(viewer, factory)
    factory.now_ms += 130_000
    factory.run(3)
    run = PipelineRun.objects.get(trigger_id=row.id)
    assert (run.verdict, run.reasons[0]["code"]) == ("fail", "never_ready")
    assert Job.objects.get(kind="serve").state == JobState.SUCCEEDED


@pytest.mark.parametrize("report", ["not json", _report(accuracy=7)])
def test_a_report_that_cannot_be_used_is_inconclusive(viewer: Viewer, tmp_path: Path, report: str) -> None:
    row = _trained(viewer, Factory(tmp_path, report))
    run = PipelineRun.objects.get(trigger_id=row.id)
    assert (run.step, run.verdict, run.reasons[0]["code"]) == ("done", "inconclusive", "report_invalid")


def test_switched_off_it_does_not_start(viewer: Viewer, tmp_path: Path) -> None:
    factory = Factory(tmp_path, _report())
    submitted(viewer, entry=ENTRY, then=())
    factory.run(6)
    assert not PipelineRun.objects.exists()
