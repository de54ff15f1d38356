"""Stop a job: the wish is recorded at once, the driver carries it out."""

from django.db import transaction
from django.db.models import F

from alldata.tenancy.audit import Deed, record
from alldata.tenancy.errors import MayNot
from alldata.tenancy.viewer import Viewer
from scheduling.errors import IllegalMove, JobIsOver
from scheduling.lifecycle import JOB_ENDS, PREEMPTED, JobState
from scheduling.models import Job
from scheduling.selectors.answers import JobRow
from scheduling.selectors.jobs import find_job
from scheduling.selectors.rows import job_row_of
from scheduling.services.moves import move_job


def cancel_job(viewer: Viewer, reference: str, *, now_ms: int) -> JobRow:
    """Ask for the end of a job; a queued one ends now. Repeating is harmless. Errors: JobIsOver."""
    job = find_job(viewer, reference)
    if not viewer.may_submit(job.project_id):
        raise MayNot("stop jobs of this project")
    with transaction.atomic():
        if not request_stop(job, "cancelled", now_ms=now_ms):
            job.refresh_from_db()
            raise JobIsOver(f"J-{job.number}", job.state)
        record(viewer, Deed("job.cancel", f"J-{job.number}", job.project_id), now_ms=now_ms)
    job.refresh_from_db()
    return job_row_of(job)


def request_stop(job: Job, why: str, *, now_ms: int) -> bool:
    """Record the wish (the first one stands, but for a mere preemption); False when the job is over."""
    with transaction.atomic():
        alive = Job.objects.filter(pk=job.pk).exclude(state__in=JOB_ENDS)
        alive.filter(stop_requested__in=("", PREEMPTED)).update(stop_requested=why, rev=F("rev") + 1)
        if not alive.exists():
            return False
        if Job.objects.filter(pk=job.pk, state=JobState.QUEUED).exists():
            _end_queued(job, why, now_ms=now_ms)
    return True


def _end_queued(job: Job, why: str, *, now_ms: int) -> None:
    try:
        move_job(job, JobState.CANCELLED, now_ms=now_ms, reason=why)
    except IllegalMove:
        job.refresh_from_db()  # it was placed meanwhile: the driver stops the attempt


def sweep_stopped(*, now_ms: int) -> int:
    """Queued jobs whose stop lost a race with a placement that was then undone."""
    waiting = Job.objects.filter(state=JobState.QUEUED, ended_ms=None).exclude(stop_requested="")
    for job in waiting:
        _end_queued(job, job.stop_requested, now_ms=now_ms)
    return len(waiting)
