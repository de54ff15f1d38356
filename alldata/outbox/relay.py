"""Deliver due facts to their subscribers, at least once, in batches.

A batch is tried as a whole: one transaction, one update. When any subscriber fails, the whole
is undone and each delivery is repeated alone, so one bad fact costs its batch some speed and
the others nothing. A crash repeats deliveries; it never loses one.
"""

import logging

from django.db import transaction

from alldata.kernel.events import from_json
from alldata.outbox.models import Delivery
from alldata.outbox.subscribers import subscriber
from alldata.outbox.wake import once_each

log = logging.getLogger(__name__)
BATCH = 500
MAX_DELAY_MS = 300_000


def relay_batch(*, now_ms: int) -> int:
    """Deliver up to BATCH due facts, oldest first; returns how many were looked at."""
    with once_each(), transaction.atomic():
        due = list(
            Delivery.objects.filter(done_ms=None, due_ms__lte=now_ms)
            .select_for_update(skip_locked=True, of=("self",))
            .select_related("event")
            .order_by("due_ms", "id")[:BATCH]
        )
        if due and not _deliver_all(due, now_ms=now_ms):
            for delivery in due:
                _deliver_or_postpone(delivery, now_ms=now_ms)
    return len(due)


def _deliver_all(due: list[Delivery], *, now_ms: int) -> bool:
    """The common case: nobody fails. False when somebody did, with everything undone."""
    if any(delivery.tries for delivery in due):
        return False
    try:
        with transaction.atomic():
            for delivery in due:
                _handle(delivery, now_ms)
    except Exception:  # noqa: BLE001 - found again, and logged, when each is delivered alone
        return False
    done = Delivery.objects.filter(pk__in=[delivery.pk for delivery in due])
    done.update(done_ms=now_ms, tries=1)
    return True


def _handle(delivery: Delivery, now_ms: int) -> None:
    fact = from_json(delivery.event.name, delivery.event.fields)
    subscriber(delivery.subscriber).handle(fact, now_ms)


def _deliver_or_postpone(delivery: Delivery, *, now_ms: int) -> None:
    """Run one subscriber; on failure undo its writes and try again later, ever more rarely."""
    delivery.tries += 1
    try:
        with transaction.atomic():
            _handle(delivery, now_ms)
    except Exception as failure:  # one bad fact must not stop the relay
        delivery.last_error = f"{type(failure).__name__}: {failure}"[:2000]
        delivery.due_ms = now_ms + min(MAX_DELAY_MS, 1000 * 2 ** min(delivery.tries, 9))
        log.exception("delivery %s failed (try %d)", delivery.pk, delivery.tries)
    else:
        delivery.done_ms = now_ms
        delivery.last_error = ""
    delivery.save(update_fields=["tries", "last_error", "due_ms", "done_ms"])
