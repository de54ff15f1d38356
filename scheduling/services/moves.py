"""Change the state of a job or an attempt: one conditional update, one fact, one transaction.

The update names the states it may leave, so of any number of racing movers exactly one
wins; the others get IllegalMove and their transaction undoes nothing that was not theirs.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F

from alldata.kernel.events import AttemptMoved, JobMoved
from alldata.outbox.publish import publish
from scheduling.errors import IllegalMove
from scheduling.lifecycle import (
    JOB_ENDS,
    AttemptState,
    JobState,
    attempt_sources,
    job_sources,
)
from scheduling.models import Attempt, Job

Columns = Mapping[str, Any]


def move_job(job: Job, to: JobState, *, now_ms: int, reason: str = "", columns: Columns | None = None) -> None:
    """Move a job or raise IllegalMove. An end also records when, and whether in time."""
    changes = {"state": to, "reason": reason, "changed_ms": now_ms, "rev": F("rev") + 1}
    if to in JOB_ENDS:
        changes |= {"ended_ms": now_ms, "deadline_met": _deadline_met(job, to, now_ms)}
    with transaction.atomic():
        movable = Job.objects.filter(pk=job.pk, state__in=job_sources(to))
        if not movable.update(**changes | dict(columns or {})):
            raise IllegalMove(job.pk, to)
        publish(JobMoved(str(job.pk), str(job.project_id), to.value, now_ms, reason), now_ms=now_ms)


def _deadline_met(job: Job, to: JobState, now_ms: int) -> bool | None:
    if job.deadline_ms is None or to is JobState.CANCELLED:
        return None
    return to is JobState.SUCCEEDED and now_ms <= job.deadline_ms


def move_attempt(attempt: Attempt, to: AttemptState, *, now_ms: int, columns: Columns | None = None) -> None:
    """Move an attempt or raise IllegalMove; its job's revision moves with it."""
    changes = {"state": to, "changed_ms": now_ms} | dict(columns or {})
    with transaction.atomic():
        movable = Attempt.objects.filter(pk=attempt.pk, state__in=attempt_sources(to))
        if not movable.update(**changes):
            raise IllegalMove(attempt.pk, to)
        Job.objects.filter(pk=attempt.job_id).update(rev=F("rev") + 1)
        publish(
            AttemptMoved(str(attempt.pk), str(attempt.job_id), str(attempt.project_id), to.value, now_ms),
            now_ms=now_ms,
        )
