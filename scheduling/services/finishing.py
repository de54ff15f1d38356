"""End an attempt and, with it, its job: collect files, judge the exit, release, maybe retry.

Every path ends in one transaction that moves attempt and job and starts the release, so no
claim outlives its attempt and no job is left without a live attempt or an end.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F

from scheduling.executors.base import Executor, Observation
from scheduling.lifecycle import AttemptState, JobState
from scheduling.models import Artifact, Attempt, Job
from scheduling.ports import Ports
from scheduling.services.moves import move_attempt, move_job
from scheduling.services.release import start_releasing

#: Ends that say nothing about the job's own code: worth another try.
RETRYABLE = frozenset({"engine_shutdown", "lost"})


def progress_of(seen: Observation) -> dict[str, Any]:
    """What the job said of itself, without the fields it left out."""
    plain = asdict(seen.progress) if seen.progress else {}
    return {key: value for key, value in plain.items() if value is not None}


def store_progress(attempt: Attempt, progress: dict[str, Any]) -> None:
    """Keep the latest progress and let watchers notice."""
    with transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(progress=progress)
        Job.objects.filter(pk=attempt.job_id).update(rev=F("rev") + 1)


def finish(ports: Ports, engine: Executor, attempt: Attempt, seen: Observation, *, now_ms: int) -> None:
    """Collect what the attempt left and end it. Repeating after a crash stores nothing twice."""
    missing = _collect(ports, engine, attempt, now_ms=now_ms)
    to, reason = _judge(attempt, missing)
    facts = {"exit_code": attempt.exit_code, "signal": attempt.signal, "missing": missing}
    _end(attempt, to, reason, facts={k: v for k, v in facts.items() if v}, now_ms=now_ms)


def _collect(ports: Ports, engine: Executor, attempt: Attempt, *, now_ms: int) -> list[str]:
    """Store declared outputs by content; returns the names that are missing."""
    missing = []
    for name in attempt.job.entry.get("outputs", []):
        path = engine.output_path(str(attempt.pk), name)
        if path is None:
            missing.append(name)
            continue
        blob = ports.blobs.put(Path(path))
        Artifact.objects.update_or_create(
            job_id=attempt.job_id,
            name=name,
            defaults={"sha256": blob.sha256, "size": blob.size},
            create_defaults={
                "sha256": blob.sha256,
                "size": blob.size,
                "project_id": attempt.project_id,
                "created_ms": now_ms,
            },
        )
    return missing


def _judge(attempt: Attempt, missing: list[str]) -> tuple[AttemptState, str]:
    """The attempt's end state and the reason shown to people (a code)."""
    stopped = attempt.job.stop_requested if attempt.reason == "stopped" else ""
    if stopped == "completed":
        return AttemptState.SUCCEEDED, ""
    if stopped:
        return AttemptState.CANCELLED, stopped
    if attempt.reason == "engine_shutdown":
        return AttemptState.LOST, "engine_shutdown"
    if attempt.reason and attempt.reason != "stopped":
        return AttemptState.FAILED, attempt.reason
    if attempt.signal:
        return AttemptState.FAILED, "killed_by_signal"
    if attempt.exit_code != 0:
        return AttemptState.FAILED, "exit_nonzero"
    return (AttemptState.FAILED, "missing_output") if missing else (AttemptState.SUCCEEDED, "")


def lose(attempt: Attempt, seen: Observation, *, now_ms: int) -> None:
    """The engine lost the attempt: record it and try again while tries are left."""
    columns = {"ended_ms": seen.ended_ms or now_ms, "detail": (seen.detail or "")[:4000]}
    _end(attempt, AttemptState.LOST, "lost", columns=columns, now_ms=now_ms)


def cancel_unstarted(attempt: Attempt, *, now_ms: int) -> None:
    """Stopped before the engine ever saw it."""
    _end(attempt, AttemptState.CANCELLED, attempt.job.stop_requested, now_ms=now_ms)


def refuse_launch(attempt: Attempt, why: str, *, now_ms: int) -> None:
    """The engine will never run this spec: no other try would differ."""
    columns = {"ended_ms": now_ms, "detail": why[:4000]}
    _end(attempt, AttemptState.FAILED, "launch_refused", columns=columns, now_ms=now_ms)


def _end(
    attempt: Attempt,
    to: AttemptState,
    reason: str,
    *,
    now_ms: int,
    facts: dict[str, Any] | None = None,
    columns: dict[str, Any] | None = None,
) -> None:
    """One transaction: the attempt ends, its claims start to release, its job moves on."""
    job = attempt.job
    with transaction.atomic():
        move_attempt(attempt, to, now_ms=now_ms, columns={"reason": reason} | (columns or {}))
        start_releasing(attempt, grace_ms=job.grace_ms, now_ms=now_ms)
        target = _job_target(attempt, to, reason)
        if target is JobState.SUCCEEDED and job.state == JobState.ADMITTED:
            move_job(job, JobState.ACTIVE, now_ms=now_ms)
        move_job(job, target, now_ms=now_ms, reason=reason, columns={"reason_facts": facts or {}})


def _job_target(attempt: Attempt, to: AttemptState, reason: str) -> JobState:
    job = attempt.job
    if to is AttemptState.SUCCEEDED:
        return JobState.SUCCEEDED
    if job.stop_requested == "over_budget":
        return JobState.OVER_BUDGET
    if to is AttemptState.CANCELLED or job.stop_requested:
        return JobState.SUCCEEDED if job.stop_requested == "completed" else JobState.CANCELLED
    if reason in RETRYABLE and attempt.ordinal < job.max_attempts:
        return JobState.QUEUED
    return JobState.FAILED
