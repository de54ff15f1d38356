"""Periodic work of monitoring: keep day partitions ahead of time."""

from celery import shared_task

from alldata.kernel import clock
from monitoring.services.partitions import ensure_partitions_ahead


@shared_task(name="monitoring.tasks.make_partitions", acks_late=True, ignore_result=True)
def make_partitions() -> int:
    """Partitions for today and the next three days."""
    return ensure_partitions_ahead(now_ms=clock.now_ms())
