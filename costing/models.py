"""Prices that never change, a ledger that only grows, and how far it is booked.

Price versions and their lines are immutable, ledger entries append-only, both by trigger. A
correction is another entry: what was booked is the sum.
"""

from django.db import models
from django.db.models import F, Q

from alldata.kernel.ids import uuid7
from costing.rating import Bucket


class ChargeMode(models.TextChoices):
    """Which buckets a project pays for. It never changes what the ledger holds."""

    CONSUMPTION = "consumption"


class PriceBook(models.Model):
    """A named list of prices in one currency."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.SlugField(max_length=63, unique=True)
    currency = models.CharField(max_length=3)
    charge_mode = models.CharField(max_length=12, choices=ChargeMode.choices, default=ChargeMode.CONSUMPTION)

    def __str__(self) -> str:
        return self.name


class PriceVersion(models.Model):
    """The book as it was from a moment on. Immutable."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    book = models.ForeignKey(PriceBook, models.PROTECT, related_name="versions")
    number = models.IntegerField()
    digest = models.CharField(max_length=64)
    valid_from_ms = models.BigIntegerField()
    source = models.CharField(max_length=300)
    example = models.BooleanField(default=False)
    bills_proxy = models.BooleanField(default=True)
    created_ms = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["book", "number"], name="price_version_number_once"),
            models.UniqueConstraint(fields=["book", "valid_from_ms"], name="price_version_one_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.book_id} r{self.number}"


class PriceRate(models.Model):
    """One kind of device in one version (costing.pricing.PriceLine). Immutable."""

    version = models.ForeignKey(PriceVersion, models.PROTECT, related_name="rates")
    device_type = models.CharField(max_length=20)
    model = models.CharField(max_length=120, blank=True)
    basis = models.CharField(max_length=40, blank=True)
    per_amount = models.BigIntegerField()
    nano_per_hour = models.BigIntegerField()
    weights = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "device_type", "model"], name="price_rate_once"),
            models.CheckConstraint(condition=Q(nano_per_hour__gte=0, per_amount__gt=0), name="price_rate_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.device_type} {self.model}"


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
