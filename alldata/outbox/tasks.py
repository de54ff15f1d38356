"""Celery's doors into the outbox."""

from uuid import UUID

from celery import shared_task
from django.db import connection

from alldata.kernel import clock
from alldata.kernel.events import KINDS
from alldata.outbox.models import Delivery
from alldata.outbox.relay import BATCH, relay_batch

BATCHES = 20
KEEP_DONE_MS = 7 * 86_400_000
#: Keys begin with the time of birth, so old facts are found by key.
FORGET = """
DELETE FROM outbox_outboxevent e WHERE e.id < %s::uuid AND e.name = ANY(%s)
    AND NOT EXISTS (SELECT FROM outbox_delivery d WHERE d.event_id = e.id)
"""


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
    """Forget deliveries done a week ago, and facts as old that are told and are no history."""
    before_ms = clock.now_ms() - KEEP_DONE_MS
    Delivery.objects.filter(done_ms__lt=before_ms).delete()
    names = [kind.name for kind in KINDS.values() if not kind.is_history]
    with connection.cursor() as cursor:
        cursor.execute(FORGET, [str(UUID(int=before_ms << 80)), names])
