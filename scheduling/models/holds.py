"""A place that is booked before there is work for it."""

from django.db import models
from django.db.models import F, Q

from alldata.kernel.ids import uuid7


class Hold(models.Model):
    """The reservation of one job's place. The job has its attempt and claims; nothing is launched until it is used.

    Unused, it ends when the instant has passed (services/holds.py); its state is told by `used_ms` and the job.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    job = models.OneToOneField("scheduling.Job", models.PROTECT, related_name="hold")
    project_id = models.UUIDField()
    request_id = models.CharField(max_length=120)
    digest = models.CharField(max_length=64)  # of the whole request, for idempotency
    asked = models.JSONField()  # {profile, mode} or {demand}: what the place was booked for
    until_ms = models.BigIntegerField()
    created_ms = models.BigIntegerField()
    used_ms = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project_id", "request_id"], name="hold_request_once"),
            models.CheckConstraint(condition=Q(until_ms__gt=F("created_ms")), name="hold_has_length"),
            models.CheckConstraint(condition=Q(used_ms=None) | Q(used_ms__lt=F("until_ms")), name="hold_used_in_time"),
        ]
        indexes = [models.Index(fields=["until_ms"], name="hold_open", condition=Q(used_ms=None))]

    def __str__(self) -> str:
        return f"hold of {self.job_id}"
