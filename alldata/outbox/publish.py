"""Write a fact and what is owed to its subscribers, beside the change that made it true."""

import json
from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from alldata.kernel.events import Event
from alldata.kernel.ids import uuid7
from alldata.outbox.models import Delivery, OutboxEvent
from alldata.outbox.subscribers import subscribers_of
from alldata.outbox.wake import wake_relay


def publish(event: Event, *, now_ms: int, wake: bool = True) -> None:
    """Record the fact in the open transaction; the relay is woken after the commit, or runs within a second."""
    publish_all([event], now_ms=now_ms, wake=wake)


def publish_all(events: Sequence[Event], *, now_ms: int, wake: bool = True) -> None:
    """Record many facts with two inserts."""
    rows = [_row(event, now_ms) for event in events]
    owed = [
        Delivery(event=row, subscriber=name, due_ms=now_ms)
        for row, event in zip(rows, events, strict=True)
        for name in subscribers_of(type(event))
    ]
    OutboxEvent.objects.bulk_create(rows)
    Delivery.objects.bulk_create(owed)
    if owed and wake:
        wake_after_commit()


def as_arguments(event: Event) -> tuple[str, str, str, list[str], list[str]]:
    """The fact for SQL that calls `outbox_record`: id, name, fields, who is to be told, the ids of what is owed."""
    names = subscribers_of(type(event))
    return str(uuid7()), event.name, json.dumps(event.as_json()), names, [str(uuid7()) for _ in names]


def wake_after_commit() -> None:
    """Have the relay run soon after the open transaction, or now when there is none."""
    transaction.on_commit(wake_relay, robust=True)


def _row(event: Event, now_ms: int) -> OutboxEvent:
    fields = event.as_json()
    project_id = fields.get("project_id")
    return OutboxEvent(
        id=uuid7(),
        name=event.name,
        fields=fields,
        project_id=UUID(project_id) if project_id else None,
        at_ms=now_ms,
    )
