"""A real model, a real Triton, a real Locust, all as attempts of the local engine."""

import json
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from scheduling.executors.base import FileSource, LaunchSpec, Phase
from scheduling.serving.loadtest import LoadPlan, locust_workload, read_load
from scheduling.serving.report import ModelReport, Samples, read_report
from scheduling.serving.triton import NotYet, Ready, probe, triton_workload
from scheduling.serving.verdict import Outcome, Thresholds, judge
from scheduling.serving.workload import Workload
from tests.architecture.source import ROOT
from tests.contract.engines import BLANK, LIVE, Local

pytestmark = pytest.mark.service
TRAIN = ROOT / "examples" / "digits" / "train.py"


@dataclass(frozen=True)
class Trained:
    """What one short training run left."""

    report: ModelReport
    model: str


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    found = Local(tmp_path_factory.mktemp("serving"))
    yield found
    for key in found.executor.stop_all(grace_ms=0):
        found.ended(key)


@pytest.fixture(scope="module")
def trained(engine: Local) -> Trained:
    files = (FileSource("train.py", path=str(TRAIN)),)
    spec = replace(BLANK, command=("python", "train.py"), env={"EPOCHS": "12"}, files=files)
    engine.executor.launch("train", spec)
    seen = engine.ended("train")
    report, model = (engine.executor.output_path("train", name) for name in ("report.json", "model.onnx"))
    assert seen.exit_code == 0 and report and model
    assert seen.progress is not None and (seen.progress.epoch, seen.progress.unit) == (12, "images")
    return Trained(read_report(Path(report)), model)


def as_spec(workload: Workload, model: str) -> LaunchSpec:
    """What the services do with a workload, without rows: digests become paths."""
    files = tuple(FileSource(f.name, text=f.text, path=model if f.sha256 else None) for f in workload.files)
    return replace(BLANK, command=workload.command, files=files, ports=workload.ports, outputs=workload.outputs)


def serve(engine: Local, key: str, model: str, report: ModelReport) -> None:
    workload = triton_workload(name="digits", model_sha256="0" * 64, report=report)
    engine.executor.launch(key, as_spec(workload, model))


def until_answer(engine: Local, key: str, report: ModelReport, wanted: Callable[[object], bool]) -> dict[str, int]:
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        seen = engine.executor.observe([key])[key]
        if wanted(probe(seen.endpoint, name="digits", report=report)):
            return dict(seen.endpoint)
        assert seen.phase in LIVE, engine.executor.read_log(key, after=-3000, limit=3000).text
        time.sleep(0.05)
    raise AssertionError("no answer in time")


def test_the_training_is_good_and_its_export_agrees(trained: Trained) -> None:
    assert trained.report.accuracy > 0.9 and trained.report.onnx_matches
    assert len(trained.report.samples.labels) == 32


def test_a_served_model_answers_under_load_and_leaves_nothing(engine: Local, trained: Trained) -> None:
    serve(engine, "good", trained.model, trained.report)
    port = until_answer(engine, "good", trained.report, lambda answer: isinstance(answer, Ready))["http"]
    workload = locust_workload(LoadPlan("digits", rate_qps=150, duration_s=3), target_port=port, report=trained.report)
    engine.executor.launch("load", as_spec(workload, trained.model))
    assert engine.ended("load").exit_code == 0
    load = read_load(Path(engine.executor.output_path("load", "load.json") or ""))
    assert (load.requests, load.failures, load.wrong, load.unasked) == (450, 0, 0, 0)
    verdict = judge(load, Thresholds(p99_ms_max=2000, qps_min=50, min_accuracy=0.9), trained.report.accuracy)
    assert verdict.outcome in (Outcome.PASS, Outcome.INCONCLUSIVE), verdict
    engine.executor.stop("good", grace_ms=15_000)
    assert engine.ended("good").exit_code == 0
    assert not list(Path("/dev/shm").glob("alldata_good_*"))


def test_a_dead_backend_is_not_ready(engine: Local, trained: Trained) -> None:
    serve(engine, "dead", trained.model, trained.report)
    until_answer(engine, "dead", trained.report, lambda answer: isinstance(answer, Ready))
    server = json.loads((engine.runs / "dead" / "status.json").read_text())["child_pid"]
    for stub in psutil.Process(server).children(recursive=True):
        stub.send_signal(signal.SIGKILL)
    until_answer(engine, "dead", trained.report, lambda answer: isinstance(answer, NotYet))
    engine.executor.stop("dead", grace_ms=500)
    engine.ended("dead")
    assert not list(Path("/dev/shm").glob("alldata_dead_*"))


def test_a_model_that_answers_otherwise_than_in_training_never_serves(engine: Local, trained: Trained) -> None:
    samples = trained.report.samples
    lying = Samples(samples.rows, tuple((label + 1) % 10 for label in samples.labels))
    serve(engine, "lying", trained.model, replace(trained.report, samples=lying))
    seen = engine.ended("lying")
    assert seen.phase is Phase.ENDED and seen.exit_code not in (0, None)
    assert "self-test: 32 of 32" in engine.executor.read_log("lying", after=-20_000, limit=20_000).text
