"""Celery's doors into the outbox."""

from celery import shared_task

from alldata.kernel import clock
from alldata.outbox.models import Delivery
from alldata.outbox.relay import BATCH, relay_batch

BATCHES = 20
KEEP_DONE_MS = 7 * 86_400_000


@shared_task(name="alldata.outbox.tasks.relay", acks_late=True, ignore_result=True)
def relay() -> int:
    """Deliver what is due: woken after each commit, and every second in case a wake-up was lost."""
    total = 0
    for _ in range(BATCHES):
        count = relay_batch(now_ms=clock.now_ms())
        total += count
        if count < BATCH:
            break
    return total


@shared_task(name="alldata.outbox.tasks.prune", ignore_result=True)
def prune() -> None:
    """Forget deliveries done a week ago; the facts themselves are the history and stay."""
    Delivery.objects.filter(done_ms__lt=clock.now_ms() - KEEP_DONE_MS).delete()
