"""The ledger by day, for views over many jobs: computed from entries (services/days.py), never added to."""

from django.db import models

from costing.models.prices import PriceVersion


class SpendDay(models.Model):
    """One day of one project (None: nobody's) in one capability and bucket."""

    day_ms = models.BigIntegerField()
    project_id = models.UUIDField(null=True)
    device_type = models.CharField(max_length=20, blank=True)
    dimension = models.CharField(max_length=40)
    bucket = models.CharField(max_length=20)
    price_version = models.ForeignKey(PriceVersion, models.PROTECT, related_name="+")
    q = models.DecimalField(max_digits=38, decimal_places=0)
    nano = models.BigIntegerField()
    charged_nano = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["project_id", "day_ms"], name="spend_day_by_project")]

    def __str__(self) -> str:
        return f"{self.day_ms} {self.dimension} {self.bucket}"


class JobDay(models.Model):
    """One day of one job, all capabilities together."""

    day_ms = models.BigIntegerField()
    project_id = models.UUIDField()
    job_id = models.UUIDField()
    price_version = models.ForeignKey(PriceVersion, models.PROTECT, related_name="+")
    charged_nano = models.BigIntegerField()
    used_nano = models.BigIntegerField()
    idle_nano = models.BigIntegerField()
    unmetered_nano = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["project_id", "day_ms"], name="job_day_by_project"),
            models.Index(fields=["day_ms"], name="job_day_by_day"),
            models.Index(fields=["job_id"], name="job_day_by_job"),
        ]

    def __str__(self) -> str:
        return f"{self.day_ms} {self.job_id}"


class JobSpan(models.Model):
    """All days of one job together: its first, its last and what they come to."""

    job_id = models.UUIDField()
    project_id = models.UUIDField()
    first_day_ms = models.BigIntegerField()
    last_day_ms = models.BigIntegerField()
    charged_nano = models.BigIntegerField()
    used_nano = models.BigIntegerField()
    idle_nano = models.BigIntegerField()
    unmetered_nano = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["first_day_ms"], name="job_span_by_first"),
            models.Index(fields=["last_day_ms"], name="job_span_by_last"),
            models.Index(fields=["project_id", "last_day_ms"], name="job_span_by_project"),
        ]
        constraints = [models.UniqueConstraint(fields=["job_id", "project_id"], name="job_span_once")]

    def __str__(self) -> str:
        return f"{self.job_id} {self.first_day_ms}"


class DeviceDay(models.Model):
    """One day of one device, all capabilities together, by bucket."""

    day_ms = models.BigIntegerField()
    node = models.CharField(max_length=120)
    device = models.CharField(max_length=160)
    bucket = models.CharField(max_length=20)
    price_version = models.ForeignKey(PriceVersion, models.PROTECT, related_name="+")
    nano = models.BigIntegerField()
    charged_nano = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["day_ms"], name="device_day_by_day")]

    def __str__(self) -> str:
        return f"{self.day_ms} {self.device} {self.bucket}"


class SpendHour(models.Model):
    """What one project was charged for one hour."""

    hour_ms = models.BigIntegerField()
    project_id = models.UUIDField()
    charged_nano = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["hour_ms"], name="spend_hour_by_hour")]

    def __str__(self) -> str:
        return f"{self.hour_ms} {self.project_id}"


class DirtyDay(models.Model):
    """A day whose sums may differ from the ledger; worked off by tasks.book."""

    day_ms = models.BigIntegerField(primary_key=True)
    due_ms = models.BigIntegerField()

    def __str__(self) -> str:
        return str(self.day_ms)
