"""Periodic work of monitoring: make day partitions ahead of time, tidy up old ones."""

from celery import shared_task

from alldata.kernel import clock
from monitoring.services.partitions import ensure_partitions_ahead
from monitoring.services.retention import tidy


@shared_task(name="monitoring.tasks.make_partitions", acks_late=True, ignore_result=True)
def make_partitions() -> int:
    """Partitions for today and the next three days; old days are merged, very old ones dropped."""
    now_ms = clock.now_ms()
    tidy(now_ms=now_ms)
    return ensure_partitions_ahead(now_ms=now_ms)
