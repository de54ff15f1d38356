"""What costing does when it hears a fact: mark node-hours, wake the booker. Database work only."""

from functools import partial
from uuid import UUID

from django.db import transaction

from alldata.kernel.events import AttemptMoved, CapacityChanged, JobMoved, UsageRecorded
from alldata.outbox.subscribers import subscribe
from alldata.outbox.wake import send
from costing.services.agenda import note_change, note_end, note_usage
from costing.services.budgets import settle
from costing.services.capacity import note_supply
from scheduling.lifecycle import ATTEMPT_ENDS, JOB_ENDS
from scheduling.selectors.metering import attempts_of


def _wake_booker() -> None:
    transaction.on_commit(partial(send, "costing.tasks.book"), robust=True)


@subscribe(UsageRecorded)
def usage_recorded(event: UsageRecorded, now_ms: int) -> None:
    """New usage: book it at the node's pace."""
    if note_usage(event.agent, event.start_ms, event.end_ms, event.attempts, now_ms=now_ms):
        _wake_booker()


@subscribe(JobMoved, when={"to": JOB_ENDS})
def job_moved(event: JobMoved, now_ms: int) -> None:
    """A job ended: its cost is wanted soon. One that never held anything costs nothing: its money is free at once."""
    job_id = UUID(event.job_id)
    if not attempts_of(job_id):
        settle(job_id, now_ms=now_ms)
    note_end(job_id, now_ms=now_ms)
    _wake_booker()


@subscribe(AttemptMoved, when={"to": ATTEMPT_ENDS})
def attempt_moved(event: AttemptMoved, now_ms: int) -> None:
    """An attempt ended; its job may go on with another."""
    note_end(UUID(event.job_id), now_ms=now_ms)
    _wake_booker()


@subscribe(CapacityChanged)
def capacity_changed(event: CapacityChanged, now_ms: int) -> None:
    """Claims were released or supply changed: what was booked as held may be free."""
    note_supply(event.node, at_ms=event.at_ms)
    note_change(event.node, now_ms=now_ms)
    _wake_booker()
