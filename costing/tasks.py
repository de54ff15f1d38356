"""Book usage into the ledger: woken by facts, and periodically in case a wake-up was lost."""

from celery import shared_task

from alldata.kernel import clock
from costing.services.agenda import mark_open, work_off
from costing.services.budgets import settle_ended
from costing.services.days import sum_due_days


@shared_task(name="costing.tasks.book", acks_late=True, ignore_result=True)
def book() -> int:
    """Mark what time alone makes due, work off everything that is due, then sum the days that changed."""
    now_ms = clock.now_ms()
    mark_open(now_ms=now_ms)
    booked = work_off(now_ms=now_ms)
    sum_due_days(now_ms=now_ms)
    settle_ended(now_ms=now_ms)
    return booked
