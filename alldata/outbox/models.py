"""One row a fact, one row a (fact, subscriber).

A failing subscriber neither blocks nor repeats the others; rows are written in the
transaction that made the fact true.
"""

from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KeyTextTransform

from alldata.kernel.ids import uuid7


class OutboxEvent(models.Model):
    """A fact, in order of birth (UUIDv7)."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=60)
    fields = models.JSONField()
    project_id = models.UUIDField(null=True)
    at_ms = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["project_id", "-id"], name="outbox_by_project"),
            models.Index(KeyTextTransform("job_id", "fields"), name="outbox_by_job"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.id}"


class Delivery(models.Model):
    """One fact owed to one subscriber."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    event = models.ForeignKey(OutboxEvent, models.CASCADE, related_name="deliveries", db_index=False)
    subscriber = models.CharField(max_length=120)
    due_ms = models.BigIntegerField()
    done_ms = models.BigIntegerField(null=True)
    tries = models.IntegerField(default=0)
    last_error = models.TextField(default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["event", "subscriber"], name="delivery_once"),
        ]
        indexes = [
            models.Index(fields=["due_ms", "id"], name="delivery_due", condition=Q(done_ms=None)),
        ]

    def __str__(self) -> str:
        return f"{self.subscriber} <- {self.event_id}"
