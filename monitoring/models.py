"""Usage as it arrived, and how far each agent's stream reaches.

`usage_frame` is partitioned by day of `start_ms` (services/partitions.py), append-only by
trigger, and unique by (agent, epoch, seq) within a day; across days the stream row refuses
what its epoch has closed. Bodies are read by frames.py alone.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q


class UsageFrame(models.Model):
    """One closed window of one agent: all devices and dimensions, packed. Insert-only."""

    pk = models.CompositePrimaryKey("agent", "epoch", "seq", "start_ms")
    agent = models.CharField(max_length=120)
    epoch = models.CharField(max_length=120)
    seq = models.BigIntegerField()
    start_ms = models.BigIntegerField()
    end_ms = models.BigIntegerField()
    recv_ms = models.BigIntegerField()
    attempts = ArrayField(models.CharField(max_length=64), default=list)
    body = models.BinaryField()

    class Meta:
        db_table = "usage_frame"
        indexes = [
            models.Index(fields=["agent", "end_ms"], name="usage_frame_by_time"),
            GinIndex(fields=["attempts"], name="usage_frame_by_attempt"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(end_ms__gt=F("start_ms")), name="usage_frame_has_length"),
        ]

    def __str__(self) -> str:
        return f"{self.agent} {self.epoch} {self.seq}"


class AgentStream(models.Model):
    """How far one epoch of one agent has been received without a gap, and its newest frame."""

    agent = models.CharField(max_length=120)
    epoch = models.CharField(max_length=120)
    first_seq = models.BigIntegerField()
    first_ms = models.BigIntegerField()
    closed_seq = models.BigIntegerField()
    closed_ms = models.BigIntegerField()
    newest_seq = models.BigIntegerField()
    newest_ms = models.BigIntegerField()
    gap_since_ms = models.BigIntegerField(null=True)
    live_start_ms = models.BigIntegerField()
    live = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agent", "epoch"], name="agent_stream_once")]
        indexes = [models.Index(fields=["agent", "-newest_ms"], name="agent_stream_newest")]

    def __str__(self) -> str:
        return f"{self.agent} {self.epoch}"
