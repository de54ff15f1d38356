"""When would a job that does not fit now start? crater/outlook.py rehearses; here is said when what runs will end.

The late start takes the bounds of standing.py, which nine in ten keep; the expected one what is left at the median,
given how long each has run already.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Q

from scheduling.crater.forecast import COLD_START
from scheduling.crater.model import Running, Runtime, Snapshot
from scheduling.crater.outlook import Start, remaining_ms, start_of
from scheduling.lifecycle import STOP_GRACE_MS
from scheduling.models import Job
from scheduling.selectors.history import kind_of
from scheduling.snapshot import request_of

MEDIAN = 0.5


def starts(snapshot: Snapshot, job: str, *, stops: Collection[str]) -> tuple[Start | None, Start | None]:
    """The expected start of one of the waiting jobs, and a late one; None where none can be told.

    `stops` are running jobs that will be stopped for it.
    """
    bounded = [_stopped(r, snapshot.now_ms) if r.job in stops else r for r in snapshot.running]
    soon = start_of(snapshot, _expected(bounded, now_ms=snapshot.now_ms), job, slow=False)
    if soon is None:
        return None, None
    return soon, start_of(snapshot, bounded, job, slow=True)


def _stopped(running: Running, now_ms: int) -> Running:
    return replace(running, ends_ms=min(running.ends_ms, now_ms + STOP_GRACE_MS))


def _expected(bounded: Collection[Running], *, now_ms: int) -> list[Running]:
    """The same with the ends that are as likely passed as not; what leaves or is merely held ends when it must."""
    names = [running.job for running in bounded if not running.leaving]
    at_work = Job.objects.filter(Q(hold=None) | Q(hold__used_ms__isnull=False), pk__in=names)
    jobs = {str(row.pk): row for row in at_work.select_related("project")}
    known: dict[Any, Runtime] = {}
    found = []
    for running in bounded:
        job = jobs.get(running.job)
        if job is not None:
            runtime = known.setdefault(_code(job), _runtime(job, known))
            left_ms = remaining_ms(runtime, max(0, now_ms - running.started_ms), MEDIAN) + job.grace_ms
            running = replace(running, ends_ms=min(running.ends_ms, now_ms + left_ms))
        found.append(running)
    return found


def _code(job: Job) -> tuple[Any, ...]:
    """Equal code under equal limits is expected to last as long."""
    return job.organisation_id, *kind_of(job), job.timeout_ms


def _runtime(job: Job, known: Mapping[Any, Runtime]) -> Runtime:
    return known.get(_code(job)) or request_of(job).runtime or COLD_START
