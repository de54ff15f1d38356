"""Deliver due facts to their subscribers, at least once, in batches.

A batch is tried as a whole: one transaction, one update. When any subscriber fails, the whole
is undone and each delivery is repeated alone, so one bad fact costs its batch some speed and
the others nothing. A crash repeats deliveries; it never loses one.
"""

import json
import logging
from uuid import UUID

from django.db import connection, transaction

from alldata.kernel.events import from_json
from alldata.outbox.models import Delivery
from alldata.outbox.subscribers import subscriber
from alldata.outbox.wake import once_each

log = logging.getLogger(__name__)
BATCH = 500
MAX_DELAY_MS = 300_000


#: What is due, without the rows around it: the common case needs no more.
DUE = """
SELECT delivery.id, delivery.tries, delivery.subscriber, event.name, event.fields::text
FROM outbox_delivery AS delivery JOIN outbox_outboxevent AS event ON event.id = delivery.event_id
WHERE delivery.done_ms IS NULL AND delivery.due_ms <= %s
ORDER BY delivery.due_ms, delivery.id LIMIT %s FOR UPDATE OF delivery SKIP LOCKED"""
DONE = "UPDATE outbox_delivery SET done_ms = %s, tries = 1 WHERE id = ANY(%s)"
Due = tuple[UUID, int, str, str, str]


def relay_batch(*, now_ms: int) -> int:
    """Deliver up to BATCH due facts, oldest first; returns how many were looked at."""
    with once_each(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(DUE, [now_ms, BATCH])
        due: list[Due] = cursor.fetchall()
        if due and not _deliver_all(due, now_ms=now_ms):
            mine = Delivery.objects.filter(pk__in=[row[0] for row in due]).select_related("event")
            for delivery in mine.order_by("due_ms", "id"):
                _deliver_or_postpone(delivery, now_ms=now_ms)
    return len(due)


def _deliver_all(due: list[Due], *, now_ms: int) -> bool:
    """The common case: nobody fails. False when somebody did, with everything undone."""
    if any(tries for _, tries, *_ in due):
        return False
    try:
        with transaction.atomic():
            for _, _, name, kind, fields in due:
                subscriber(name).handle(from_json(kind, json.loads(fields)), now_ms)
    except Exception:  # noqa: BLE001 - found again, and logged, when each is delivered alone
        return False
    with connection.cursor() as cursor:
        cursor.execute(DONE, [now_ms, [key for key, *_ in due]])
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
