"""What the planner decided and on what evidence. Decisions and inputs are append-only (migration 0002)."""

from django.db import models

from alldata.kernel.ids import uuid7


class PlannerInput(models.Model):
    """A recorded Snapshot (zlib of canonical JSON), so that any decision can be replayed."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    at_ms = models.BigIntegerField()
    digest = models.CharField(max_length=64, unique=True)
    base = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    body = models.BinaryField()

    def __str__(self) -> str:
        return f"input {self.digest[:12]}"


class Decision(models.Model):
    """One answer for one job: placed where and why, or refused why."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    job = models.ForeignKey(
        "scheduling.Job", models.PROTECT, related_name="decisions", db_index=False, db_constraint=False
    )
    project_id = models.UUIDField()
    planner_input = models.ForeignKey(
        PlannerInput, models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    at_ms = models.BigIntegerField()
    outcome = models.CharField(max_length=12)  # placed | refused | conflicted | preempted
    answer = models.JSONField()  # Placement or Refusal as JSON; {by, node, lost_ms} of a preempted job

    class Meta:
        indexes = [models.Index(fields=["job", "-at_ms"], name="decision_latest")]

    def __str__(self) -> str:
        return f"{self.outcome} {self.job_id}"


class ObservedMix(models.Model):
    """What jobs have asked for lately, priced (crater/market.py). The newest row counts."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    at_ms = models.BigIntegerField()
    digest = models.CharField(max_length=64)  # of the shapes, their counts and the kinds of machines
    body = models.JSONField()  # [{needs, weight, micro}]

    class Meta:
        indexes = [models.Index(fields=["-at_ms"], name="mix_newest")]

    def __str__(self) -> str:
        return f"mix {self.digest[:12]}"
