"""Book usage into the ledger: woken by facts, and periodically in case a wake-up was lost."""

from celery import shared_task

from alldata.kernel import clock
from costing.services.agenda import mark_open, work_off


@shared_task(name="costing.tasks.book", acks_late=True, ignore_result=True)
def book() -> int:
    """Mark what time alone makes due, then work off everything that is due."""
    now_ms = clock.now_ms()
    mark_open(now_ms=now_ms)
    return work_off(now_ms=now_ms)
