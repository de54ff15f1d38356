"""A ledger that only grows: append-only by trigger. A correction is another entry; what was booked is the sum."""

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
    correction = models.BooleanField(db_default=False, help_text="booked after its hour was closed")

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
