"""End an attempt and, with it, its job: collect files, judge the exit, release, maybe retry.

Every path ends in one transaction that moves attempt and job and starts the release, so no
claim outlives its attempt and no job is left without a live attempt or an end. A gang's job is judged
with the last of its members to end, by the worst of them (lifecycle.py).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F

from scheduling.executors.base import Executor, Observation
from scheduling.lifecycle import (
    ATTEMPT_ENDS,
    BAD_ENDS,
    MEMBER_ENDED,
    PREEMPTED,
    AttemptState,
    JobState,
    job_after,
    worst_of,
)
from scheduling.models import Artifact, Attempt, Job
from scheduling.ports import Ports
from scheduling.services.moves import move_attempt, move_job
from scheduling.services.release import start_releasing

MISSING = "missing_output"


def progress_of(seen: Observation) -> dict[str, Any]:
    """What the job said of itself, without the fields it left out."""
    plain = asdict(seen.progress) if seen.progress else {}
    return {key: value for key, value in plain.items() if value is not None}


def store_progress(attempt: Attempt, progress: dict[str, Any]) -> None:
    """Keep the latest progress and let watchers notice."""
    with transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(progress=progress)
        Job.objects.filter(pk=attempt.job_id).update(rev=F("rev") + 1)


def finish(ports: Ports, engine: Executor, attempt: Attempt, *, now_ms: int) -> None:
    """Collect what the attempt left and end it. Repeating after a crash stores nothing twice."""
    missing = _collect(ports, engine, attempt, now_ms=now_ms)
    to, reason = _judge(attempt, missing)
    facts = {"exit_code": attempt.exit_code, "signal": attempt.signal, "missing": missing}
    columns = {"detail": ", ".join(missing)[:4000]} if reason == MISSING else {}
    end = End(to, reason, facts={key: value for key, value in facts.items() if value}, columns=columns)
    _end(attempt, end, now_ms=now_ms)


def _collect(ports: Ports, engine: Executor, attempt: Attempt, *, now_ms: int) -> list[str]:
    """Store declared outputs by content; returns the names that are missing.

    A gang's outputs are those of its first member; what the others left is kept under their names.
    """
    missing = []
    for name in attempt.job.entry.get("outputs", []):
        path = engine.output_path(str(attempt.pk), name)
        if path is None:
            missing.append(name)
            continue
        blob = ports.blobs.put(Path(path))
        Artifact.objects.update_or_create(
            job_id=attempt.job_id,
            name=f"{attempt.component}/{name}" if attempt.member else name,
            defaults={"sha256": blob.sha256, "size": blob.size},
            create_defaults={
                "sha256": blob.sha256,
                "size": blob.size,
                "project_id": attempt.project_id,
                "created_ms": now_ms,
            },
        )
    return [] if attempt.member else missing


def _judge(attempt: Attempt, missing: list[str]) -> tuple[AttemptState, str]:
    """The attempt's end state and the reason shown to people (a code)."""
    if attempt.reason == "stopped" and attempt.job.stop_requested:
        why = attempt.job.stop_requested
        if why == PREEMPTED:
            return AttemptState.PREEMPTED, why
        return (AttemptState.SUCCEEDED, "") if why == "completed" else (AttemptState.CANCELLED, why)
    if attempt.reason == "stopped" and attempt.members > 1:
        return AttemptState.CANCELLED, MEMBER_ENDED
    if attempt.reason == "engine_shutdown":
        return AttemptState.LOST, "engine_shutdown"
    reason = _fault(attempt, missing)
    return (AttemptState.FAILED, reason) if reason else (AttemptState.SUCCEEDED, "")


def _fault(attempt: Attempt, missing: list[str]) -> str:
    """Why the attempt counts as failed; empty when it did not fail."""
    if attempt.reason:
        return attempt.reason
    if attempt.signal:
        return "killed_by_signal"
    if attempt.exit_code != 0:
        return "exit_nonzero"
    return MISSING if missing else ""


@dataclass(frozen=True, slots=True)
class End:
    """How an attempt ended: state, reason code, facts for people, other columns to store."""

    to: AttemptState
    reason: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)


def lose(attempt: Attempt, seen: Observation, *, now_ms: int) -> None:
    """The engine lost the attempt: record it and try again while tries are left."""
    columns = {"ended_ms": seen.ended_ms or now_ms, "detail": (seen.detail or "")[:4000]}
    _end(attempt, End(AttemptState.LOST, "lost", columns=columns), now_ms=now_ms)


def cancel_unstarted(attempt: Attempt, *, now_ms: int) -> None:
    """Stopped before the engine ever saw it."""
    why = attempt.job.stop_requested or MEMBER_ENDED
    to = AttemptState.PREEMPTED if why == PREEMPTED else AttemptState.CANCELLED
    _end(attempt, End(to, why), now_ms=now_ms)


def refuse_launch(attempt: Attempt, why: str, *, now_ms: int) -> None:
    """The engine will never run this spec: no other try would differ."""
    columns = {"ended_ms": now_ms, "detail": why[:4000]}
    _end(attempt, End(AttemptState.FAILED, "launch_refused", columns=columns), now_ms=now_ms)


def _end(attempt: Attempt, end: End, *, now_ms: int) -> None:
    """One transaction: the attempt ends, its claims start to release, its job moves on once all members have ended."""
    job = attempt.job
    with transaction.atomic():
        job.stop_requested, facts, job.state = _as_it_is(job)
        move_attempt(attempt, end.to, now_ms=now_ms, columns={"reason": end.reason, **end.columns})
        warm_ms = 0 if job.stop_requested == PREEMPTED else job.grace_ms
        start_releasing(attempt, grace_ms=warm_ms, now_ms=now_ms)
        whole = end if attempt.members == 1 else end_of_try(attempt)
        if whole is None:
            return
        target = job_after(whole.to, whole.reason, asked=job.stop_requested, may_retry=_may_retry(attempt))
        if target is JobState.SUCCEEDED and job.state == JobState.ADMITTED:
            move_job(job, JobState.ACTIVE, now_ms=now_ms)
        reason = job.stop_requested if whole.reason == PREEMPTED else whole.reason
        columns: dict[str, Any] = {"reason_facts": facts if reason == PREEMPTED else dict(whole.facts)}
        if target is JobState.QUEUED:
            columns |= {"stop_requested": "", "room_since_ms": None}
        move_job(job, target, now_ms=now_ms, reason=reason, columns=columns)


def end_of_try(attempt: Attempt) -> End | None:
    """How all members of this try ended together; None while some have not. Call in the ending transaction."""
    members = list(Attempt.objects.filter(job_id=attempt.job_id, ordinal=attempt.ordinal).order_by("member"))
    if any(member.state not in ATTEMPT_ENDS for member in members):
        return None
    worst = members[worst_of([AttemptState(member.state) for member in members])]
    missing = worst.detail.split(", ") if worst.reason == MISSING else None
    facts = {"exit_code": worst.exit_code, "signal": worst.signal, "missing": missing, "member": worst.component}
    known = {key: value for key, value in facts.items() if value}
    return End(AttemptState(worst.state), worst.reason, known if worst.state in BAD_ENDS else {})


def _as_it_is(job: Job) -> tuple[str, dict[str, Any], str]:
    """Who has asked for the stop by now, on what ground, and where the job stands: it may have moved since it was read.

    The lock makes the ends of a gang's members follow one another.
    """
    found: tuple[str, dict[str, Any], str] = (
        Job.objects.select_for_update().values_list("stop_requested", "reason_facts", "state").get(pk=job.pk)
    )
    return found


def _may_retry(attempt: Attempt) -> bool:
    """Preempted attempts are no failures and use up no try."""
    return attempt.ordinal - attempt.job.preemptions < attempt.job.max_attempts
