"""How far nodes are booked, what is due, and which periods are invoiced."""

from django.db import models
from django.db.models import F, Q

from alldata.kernel.ids import uuid7


class NodeBooks(models.Model):
    """How far a node is booked. Until `urgent_until_ms` every new frame is booked at once.

    Hours before `closed_until_ms` were booked after their time for late data had passed; what is booked
    for them later is a correction.
    """

    node = models.CharField(max_length=120, primary_key=True)
    booked_until_ms = models.BigIntegerField(null=True)
    booked_at_ms = models.BigIntegerField(default=0)
    urgent_until_ms = models.BigIntegerField(default=0)
    closed_until_ms = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return self.node


class DirtyHour(models.Model):
    """A node-hour whose books may differ from what is known; worked off by tasks.book."""

    node = models.CharField(max_length=120)
    hour_ms = models.BigIntegerField()
    due_ms = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["node", "hour_ms"], name="dirty_hour_once")]
        indexes = [models.Index(fields=["due_ms"], name="dirty_hour_due")]

    def __str__(self) -> str:
        return f"{self.node} {self.hour_ms}"


class InvoiceLock(models.Model):
    """A billing period that was invoiced: what is booked for its hours afterwards is a correction. Insert-only."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    number = models.CharField(max_length=60, unique=True)
    start_ms = models.BigIntegerField()
    end_ms = models.BigIntegerField()
    locked_ms = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["start_ms"], name="invoice_lock_once"),
            models.CheckConstraint(condition=Q(end_ms__gt=F("start_ms")), name="invoice_lock_has_length"),
            models.CheckConstraint(condition=Q(locked_ms__gte=F("end_ms")), name="invoice_lock_after_its_period"),
        ]

    def __str__(self) -> str:
        return self.number
