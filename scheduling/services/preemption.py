"""Stop running jobs so that a more important one can start: all that must stop, or none.

The wish is written in one transaction with the debt: the head comes first until it starts, so the
room that its victims leave is its own. From then on it is the ordinary way of a stop: the driver
passes it on (execution.py), and the ending transaction puts the job back into the queue
(finishing.py). Killing any process between these steps loses nothing; each looks at rows alone.

Never a loop: only a strictly lower rank is stopped (crater/preempt.py), at most LIMIT times in a
job's life, which the update below checks again.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F

from scheduling.crater.model import Head, Running, Snapshot
from scheduling.crater.preempt import LIMIT
from scheduling.lifecycle import ATTEMPT_ENDS, PREEMPTED, JobState
from scheduling.models import Attempt, Decision, Job, PlannerInput
from scheduling.services.locks import LockKey, lock_in_transaction

STARTED = (JobState.ADMITTED, JobState.ACTIVE)


class _Moved(Exception):
    """A victim or the head is no longer as it was seen; nobody is stopped and the next round plans again."""


def make_room(snapshot: Snapshot, head: Head, *, seen: PlannerInput, now_ms: int) -> int:
    """Stop the head's victims; returns how many were stopped: all of them or none."""
    running = {job.job: job for job in snapshot.running}
    try:
        with transaction.atomic():
            lock_in_transaction(LockKey.PLANNER)
            _owe(head, now_ms=now_ms)
            for job, loss in zip(head.stops, head.losses, strict=True):
                facts = _facts(head, running[job], loss, now_ms)
                _stop(running[job], facts)
                _write_down(job, facts, seen=seen, now_ms=now_ms)
    except _Moved:
        return 0
    return len(head.stops)


def _owe(head: Head, *, now_ms: int) -> None:
    waits = Job.objects.filter(pk=head.job, state=JobState.QUEUED, stop_requested="")
    if not waits.update(room_since_ms=now_ms):
        raise _Moved(head.job)


def _facts(head: Head, victim: Running, loss: int, now_ms: int) -> dict[str, Any]:
    lost_ms = max(0, now_ms - max(victim.saved_ms, victim.started_ms))
    return {"by": head.job, "node": victim.node, "lost_ms": lost_ms, "loss": loss}


def _stop(victim: Running, facts: Mapping[str, Any]) -> None:
    """Ask for the stop, on the node where it was seen, unless somebody asked before."""
    there = Attempt.objects.filter(job_id=victim.job, node__name=victim.node).exclude(state__in=ATTEMPT_ENDS)
    job = Job.objects.filter(
        pk=victim.job, state__in=STARTED, stop_requested="", preemptible=True, preemptions__lt=LIMIT
    )
    changes = {"stop_requested": PREEMPTED, "preemptions": F("preemptions") + 1, "rev": F("rev") + 1}
    if not there.exists() or not job.update(**changes, reason_facts=facts):
        raise _Moved(victim.job)


def _write_down(job: str, facts: Mapping[str, Any], *, seen: PlannerInput, now_ms: int) -> None:
    project_id = Job.objects.values_list("project_id", flat=True).get(pk=job)
    Decision.objects.create(
        job_id=job, project_id=project_id, planner_input=seen, at_ms=now_ms, outcome=PREEMPTED, answer=dict(facts)
    )
