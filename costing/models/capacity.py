"""What devices could give, by time: the capacity that each hour was booked for."""

from django.db import models
from django.db.models import F, Q


class CapacityVersion(models.Model):
    """What a device could give from a moment until another: a change makes a version, the past keeps its own.

    `in_service` False: the device was there but could not be used (its time is unavailable). `part_of`
    names the card that the device is a part of, `share_ppb` its share of the card in billionths.
    """

    node = models.CharField(max_length=120)
    device = models.CharField(max_length=160)
    device_type = models.CharField(max_length=20)
    model = models.CharField(max_length=120, blank=True)
    dimension = models.CharField(max_length=40)
    capacity = models.BigIntegerField()
    in_service = models.BooleanField(default=True)
    part_of = models.CharField(max_length=160, db_default="")
    share_ppb = models.BigIntegerField(db_default=0)
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
