"""After a training job: serve its model, prove readiness, load it, judge it. No human step.

`start_pipeline` is called by the completion fact, once a job by constraint. `advance` is
level-triggered: it looks at where the run's jobs are and moves it at most one step; the jobs
are submitted with request ids derived from the run, so a crash never submits one twice.
Triton and Locust are ordinary jobs; this module only builds what they run and reads results.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from alldata.kernel.errors import AllDataError
from alldata.kernel.events import PipelineMoved
from alldata.outbox.publish import publish
from alldata.tenancy.selectors import system_viewer
from alldata.tenancy.services.numbers import next_pipeline_number
from scheduling.lifecycle import JOB_ENDS, AttemptState, JobState
from scheduling.models import Job, PipelineRun
from scheduling.ports import Ports
from scheduling.services import judging
from scheduling.services.cancellation import request_stop
from scheduling.services.commands import Entry, SubmitCommand
from scheduling.services.submission import submit_job
from scheduling.serving.loadtest import locust_workload
from scheduling.serving.triton import NotYet, model_name, probe, triton_workload
from scheduling.serving.workload import Workload

log = logging.getLogger(__name__)
READY_WITHIN_MS = 120_000
SERVE_AT_MOST_MS = 3_600_000
TEST_SPARE_MS = 90_000
LOAD_PROFILE = "load-generator"


def start_pipeline(*, job_id: str, now_ms: int) -> None:
    """Begin a run if the job asked for one; a repeated fact finds it begun."""
    job = Job.objects.filter(pk=job_id).first()
    if job is None or "serve" not in job.follow_up or PipelineRun.objects.filter(trigger=job).exists():
        return
    with transaction.atomic():
        run, created = PipelineRun.objects.get_or_create(
            trigger=job,
            defaults={
                "organisation_id": job.organisation_id,
                "project_id": job.project_id,
                "number": next_pipeline_number(job.organisation_id),
                "plan": job.follow_up,
                "created_ms": now_ms,
                "changed_ms": now_ms,
            },
        )
        if created:
            publish(PipelineMoved(str(run.pk), str(job.project_id), "package", now_ms), now_ms=now_ms)


def advance(ports: Ports, *, now_ms: int) -> int:
    """Look at every unfinished run once; returns how many moved."""
    runs = PipelineRun.objects.exclude(step="done").select_related("trigger", "serve_job", "test_job")
    return sum(_advance_one(ports, run, now_ms) for run in runs.order_by("number"))


def _advance_one(ports: Ports, run: PipelineRun, now_ms: int) -> bool:
    try:
        return STEPS[run.step](ports, run, now_ms)
    except AllDataError as failure:
        log.warning("pipeline %s ends at %s: %s", run.pk, run.step, failure)
        conclude(run, "inconclusive", [{"code": failure.code, "detail": str(failure)}], now_ms=now_ms)
        return True


def _package(ports: Ports, run: PipelineRun, now_ms: int) -> bool:
    """The model and its report are there: submit the server."""
    report = judging.report_of(ports, run)
    workload = triton_workload(
        name=_model(run), model_sha256=judging.artifact_of(run, "model.onnx").sha256, report=report
    )
    trigger = run.trigger
    profile = f"{trigger.profile_name}@{trigger.profile_version}"
    step = Step("serve", profile, "inference", workload, SERVE_AT_MOST_MS)
    serve = _submit(ports, run, step, now_ms=now_ms)
    return _move(run, "serve", now_ms=now_ms, serve_job_id=serve)


def _serve(ports: Ports, run: PipelineRun, now_ms: int) -> bool:
    """The server runs: ready when it has answered a known sample rightly."""
    serve = _job(run.serve_job)
    if serve.state in JOB_ENDS:
        facts = {"code": "serve_ended", "state": serve.state, "reason": serve.reason}
        return conclude(run, "fail", [facts], now_ms=now_ms)
    attempt = serve.attempts.filter(state=AttemptState.RUNNING).order_by("member").first()
    if attempt is None:
        return False
    answer = probe(attempt.endpoint, name=_model(run), report=judging.report_of(ports, run))
    if isinstance(answer, NotYet):
        if now_ms - (attempt.started_ms or now_ms) <= READY_WITHIN_MS:
            return False
        facts = {"code": "never_ready", "why": answer.reason, "detail": answer.detail}
        return conclude(run, "fail", [facts], now_ms=now_ms)
    return _start_test(ports, run, attempt.endpoint["http"], now_ms)


def _start_test(ports: Ports, run: PipelineRun, port: int, now_ms: int) -> bool:
    """Put the ready endpoint under the load that the profile promises."""
    plan = judging.load_plan(run, _model(run))
    workload = locust_workload(plan, target_port=port, report=judging.report_of(ports, run))
    limit = plan.duration_s * 1000 + TEST_SPARE_MS
    step = Step("load_test", LOAD_PROFILE, "", workload, limit)
    test = _submit(ports, run, step, now_ms=now_ms)
    return _move(run, "test", now_ms=now_ms, test_job_id=test, ready_ms=now_ms)


def _test(ports: Ports, run: PipelineRun, now_ms: int) -> bool:
    """The load test is over: judge what it measured."""
    test, serve = _job(run.test_job), _job(run.serve_job)
    if serve.state in JOB_ENDS and test.state not in JOB_ENDS:
        request_stop(test, "cancelled", now_ms=now_ms)
        facts = {"code": "serve_ended", "state": serve.state, "reason": serve.reason}
        return conclude(run, "fail", [facts], now_ms=now_ms)
    if test.state not in JOB_ENDS:
        return False
    if test.state != JobState.SUCCEEDED:
        facts = {"code": "test_ended", "state": test.state, "reason": test.reason}
        return conclude(run, "inconclusive", [facts], now_ms=now_ms)
    load, verdict = judging.judge_run(ports, run)
    return conclude(run, verdict.outcome.value, judging.reasons(verdict), now_ms=now_ms, load=load)


STEPS: Mapping[str, Callable[[Ports, PipelineRun, int], bool]] = {
    "package": _package,
    "serve": _serve,
    "test": _test,
}


def conclude(
    run: PipelineRun,
    verdict: str,
    reasons: list[dict[str, Any]],
    *,
    now_ms: int,
    load: dict[str, Any] | None = None,
) -> bool:
    """Write the verdict and let the server go: its work here is done."""
    with transaction.atomic():
        moved = _move(run, "done", now_ms=now_ms, verdict=verdict, reasons=reasons, load=load or {})
        if moved and run.serve_job is not None:
            request_stop(run.serve_job, "completed", now_ms=now_ms)
    return moved


def _move(run: PipelineRun, step: str, *, now_ms: int, **columns: Any) -> bool:
    """One conditional update with its fact: of two advancers one moves the run."""
    with transaction.atomic():
        row = PipelineRun.objects.filter(pk=run.pk, step=run.step)
        moved = row.update(step=step, changed_ms=now_ms, rev=F("rev") + 1, **columns)
        if moved:
            publish(PipelineMoved(str(run.pk), str(run.project_id), step, now_ms), now_ms=now_ms)
    return bool(moved)


@dataclass(frozen=True, slots=True)
class Step:
    """A job of the pipeline before it is submitted."""

    kind: str
    profile: str
    mode: str
    workload: Workload
    timeout_ms: int


def _submit(ports: Ports, run: PipelineRun, step: Step, *, now_ms: int) -> UUID:
    """Queue the step's job, once a run: the request id is derived from it."""
    work = step.workload
    entry = Entry(
        command=work.command,
        files=tuple(file.as_json() for file in work.files),
        env=work.env,
        outputs=work.outputs,
        ports=work.ports,
    )
    command = SubmitCommand(
        name=f"{run.trigger.name}-{step.kind.replace('_', '-')}",
        profile=step.profile,
        mode=step.mode,
        entry=entry,
        request_id=f"pipeline:{run.pk}:{step.kind}",
        project=run.project_id,
        then=(),
        timeout_ms=step.timeout_ms,
        kind=step.kind,
    )
    viewer = system_viewer(run.project_id)
    return submit_job(viewer, command, prices=ports.prices, budgets=ports.budgets, now_ms=now_ms).id


def _model(run: PipelineRun) -> str:
    return model_name(run.trigger.name)


def _job(job: Job | None) -> Job:
    if job is None:
        raise AssertionError("a pipeline step without its job")
    return job
