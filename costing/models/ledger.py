"""A ledger that only grows, how far it is booked, and the capacity it was booked for.

Entries are append-only by trigger. A correction is another entry: what was booked is the sum.
"""

from django.db import models
from django.db.models import F, Q

from alldata.kernel.ids import uuid7
from costing.models.prices import PriceVersion
from costing.rating import Bucket


class LedgerEntry(models.Model):
    """A change of one bucket of one device-hour and capability. Insert-only; the sum is what is booked."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    hour_ms = models.BigIntegerField()
    upto_ms = models.BigIntegerField(help_text="how far into the hour usage was known")
    node = models.CharField(max_length=120)
    device = models.CharField(max_length=160)
    dimension = models.CharField(max_length=40)
    bucket = models.CharField(max_length=20, choices=[(b.value, b.value) for b in Bucket])
    attempt_id = models.UUIDField(null=True)
    job_id = models.UUIDField(null=True)
    project_id = models.UUIDField(null=True)
    price_version = models.ForeignKey(PriceVersion, models.PROTECT, related_name="+")
    revision = models.IntegerField()
    q = models.DecimalField(max_digits=38, decimal_places=0)
    nano = models.BigIntegerField()
    booked_ms = models.BigIntegerField()

    class Meta:
        db_table = "ledger_entry"
        indexes = [
            models.Index(fields=["node", "hour_ms"], name="ledger_by_hour"),
            models.Index(fields=["job_id"], name="ledger_by_job", condition=Q(job_id__isnull=False)),
            models.Index(fields=["project_id", "hour_ms"], name="ledger_by_project"),
            models.Index(fields=["device", "hour_ms"], name="ledger_by_device"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(upto_ms__gt=F("hour_ms"), hour_ms__gte=0), name="ledger_entry_has_length"
            ),
            models.CheckConstraint(
                condition=Q(attempt_id=None) | Q(job_id__isnull=False, project_id__isnull=False),
                name="ledger_entry_of_attempt_has_owner",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bucket} {self.dimension} {self.nano}"


class NodeBooks(models.Model):
    """How far a node is booked. Until `urgent_until_ms` every new frame is booked at once.

    Hours before `closed_until_ms` were booked again after their time for late data had passed.
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


class CapacityVersion(models.Model):
    """What a device could give from a moment until another: a change makes a version, the past keeps its own.

    `in_service` False: the device was there but could not be used (its time is unavailable).
    """

    node = models.CharField(max_length=120)
    device = models.CharField(max_length=160)
    device_type = models.CharField(max_length=20)
    model = models.CharField(max_length=120, blank=True)
    dimension = models.CharField(max_length=40)
    capacity = models.BigIntegerField()
    in_service = models.BooleanField(default=True)
    since_ms = models.BigIntegerField()
    until_ms = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["device", "dimension"], name="capacity_one_open", condition=Q(until_ms=None)
            ),
            models.UniqueConstraint(fields=["device", "dimension", "since_ms"], name="capacity_one_at_a_time"),
            models.CheckConstraint(
                condition=Q(until_ms=None) | Q(until_ms__gt=F("since_ms")), name="capacity_has_length"
            ),
            models.CheckConstraint(condition=Q(capacity__gt=0), name="capacity_is_positive"),
        ]
        indexes = [models.Index(fields=["node", "since_ms"], name="capacity_by_node")]

    def __str__(self) -> str:
        return f"{self.device} {self.dimension} {self.capacity}"


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
