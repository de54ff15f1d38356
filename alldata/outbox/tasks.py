"""Deliver due facts: woken after each commit, and every second in case a wake-up was lost."""

import logging

from celery import shared_task
from django.db import transaction

from alldata.kernel import clock
from alldata.kernel.events import from_json
from alldata.outbox.models import Delivery
from alldata.outbox.subscribers import subscriber

log = logging.getLogger(__name__)
BATCH = 200
MAX_DELAY_MS = 300_000


@shared_task(name="alldata.outbox.tasks.relay", acks_late=True, ignore_result=True)
def relay() -> int:
    """Deliver up to BATCH due facts, each in its own transaction; returns how many."""
    delivered = 0
    while delivered < BATCH and relay_one():
        delivered += 1
    return delivered


def relay_one() -> bool:
    """Deliver the oldest due fact. A crash repeats a delivery; it never loses one."""
    now_ms = clock.now_ms()
    with transaction.atomic():
        delivery = (
            Delivery.objects.filter(done_ms=None, due_ms__lte=now_ms)
            .select_for_update(skip_locked=True, of=("self",))
            .select_related("event")
            .order_by("due_ms", "id")
            .first()
        )
        if delivery is None:
            return False
        _deliver_or_postpone(delivery, now_ms=now_ms)
    return True


def _deliver_or_postpone(delivery: Delivery, *, now_ms: int) -> None:
    """Run one subscriber; on failure undo its writes and try again later, ever more rarely."""
    delivery.tries += 1
    try:
        with transaction.atomic():
            receiver = subscriber(delivery.subscriber)
            receiver.handle(from_json(delivery.event.name, delivery.event.fields), now_ms)
    except Exception as failure:  # one bad fact must not stop the relay
        delivery.last_error = f"{type(failure).__name__}: {failure}"[:2000]
        delivery.due_ms = now_ms + min(MAX_DELAY_MS, 1000 * 2 ** min(delivery.tries, 9))
        log.exception("delivery %s failed (try %d)", delivery.id, delivery.tries)
    else:
        delivery.done_ms = now_ms
        delivery.last_error = ""
    delivery.save(update_fields=["tries", "last_error", "due_ms", "done_ms"])


@shared_task(name="alldata.outbox.tasks.prune", ignore_result=True)
def prune() -> None:
    """Forget deliveries done a week ago; the facts themselves are the history and stay."""
    week_ago = clock.now_ms() - 7 * 86_400_000
    Delivery.objects.filter(done_ms__lt=week_ago).delete()
