"""Write a fact and what is owed to its subscribers, beside the change that made it true."""

from uuid import UUID

from django.db import transaction

from alldata.kernel.events import Event
from alldata.kernel.ids import uuid7
from alldata.outbox.models import Delivery, OutboxEvent
from alldata.outbox.subscribers import subscribers_of
from alldata.outbox.wake import wake_relay


def publish(event: Event, *, now_ms: int) -> None:
    """Record the fact in the open transaction; the relay is woken after the commit."""
    fields = event.as_json()
    project_id = fields.get("project_id")
    row = OutboxEvent.objects.create(
        id=uuid7(),
        name=event.name,
        fields=fields,
        project_id=UUID(project_id) if project_id else None,
        at_ms=now_ms,
    )
    names = subscribers_of(type(event))
    Delivery.objects.bulk_create(Delivery(event=row, subscriber=name, due_ms=now_ms) for name in names)
    if names:
        transaction.on_commit(wake_relay, robust=True)
