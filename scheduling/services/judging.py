"""Read what a pipeline's jobs left behind and judge it against what the profile asks for."""

from dataclasses import asdict
from typing import Any

from alldata.kernel.errors import Invalid
from scheduling.models import Artifact, Job, PipelineRun
from scheduling.ports import Ports
from scheduling.serving.loadtest import LOAD_FILE, LoadPlan, read_load
from scheduling.serving.report import ModelReport, read_report
from scheduling.serving.verdict import Thresholds, Verdict, judge

DEFAULT_QPS = 50
DEFAULT_DURATION_S = 10
REPORT_FILE = "report.json"


class ArtifactMissing(Invalid):
    """A pipeline needs a file that the job did not leave."""

    code = "artifact_missing"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"the job left no {self.name}; declare it under entry.outputs and write it"


def artifact_of(run: PipelineRun, name: str, *, job: Job | None = None) -> Artifact:
    """A file of the training job (or of another job of the run). Errors: ArtifactMissing."""
    row = Artifact.objects.filter(job=job or run.trigger, name=name).first()
    if row is None:
        raise ArtifactMissing(name)
    return row


def report_of(ports: Ports, run: PipelineRun) -> ModelReport:
    """The training job's own report. Errors: ArtifactMissing, ReportInvalid."""
    return read_report(ports.blobs.path(artifact_of(run, REPORT_FILE).sha256))


def load_plan(run: PipelineRun, model: str) -> LoadPlan:
    """The rate that the profile promises, for a stated time."""
    asked = run.plan.get("load_test", {})
    return LoadPlan(
        model=model,
        rate_qps=int(asked.get("qps") or DEFAULT_QPS),
        duration_s=int(asked.get("duration_s") or DEFAULT_DURATION_S),
    )


def judge_run(ports: Ports, run: PipelineRun) -> tuple[dict[str, Any], Verdict]:
    """The load figures as JSON and the verdict on them."""
    path = ports.blobs.path(artifact_of(run, LOAD_FILE, job=run.test_job).sha256)
    load = read_load(path)
    asked = run.plan.get("load_test", {})
    thresholds = Thresholds(
        p99_ms_max=asked.get("p99_ms_max"),
        qps_min=asked.get("qps"),
        min_accuracy=asked.get("min_accuracy"),
    )
    accuracy = report_of(ports, run).accuracy
    return asdict(load) | {"accuracy": accuracy}, judge(load, thresholds, accuracy)


def reasons(verdict: Verdict) -> list[dict[str, Any]]:
    """The verdict's reasons as JSON."""
    return [asdict(reason) | {"outcome": reason.outcome.value} for reason in verdict.reasons]
