"""How much may be spent: limits by organisation, team, project or job, and what is set aside for jobs."""

from django.db import models
from django.db.models import F, Q

from alldata.kernel.ids import uuid7


class Budget(models.Model):
    """A limit over a period. `scope_id` is the organisation, team, project or job it is for."""

    class Scope(models.TextChoices):
        """Whose spend counts, widest first."""

        ORGANISATION = "organisation"
        TEAM = "team"
        PROJECT = "project"
        JOB = "job"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation_id = models.UUIDField()
    scope = models.CharField(max_length=12, choices=Scope.choices)
    scope_id = models.UUIDField()
    currency = models.CharField(max_length=3)
    limit_nano = models.BigIntegerField()
    start_ms = models.BigIntegerField()
    end_ms = models.BigIntegerField()
    created_ms = models.BigIntegerField()
    created_by = models.CharField(max_length=120)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "scope_id", "start_ms"], name="budget_once_a_period"),
            models.CheckConstraint(condition=Q(end_ms__gt=F("start_ms")), name="budget_has_length"),
            models.CheckConstraint(condition=Q(limit_nano__gte=0), name="budget_not_negative"),
        ]
        indexes = [models.Index(fields=["organisation_id", "-start_ms"], name="budget_by_organisation")]

    def __str__(self) -> str:
        return f"{self.scope} {self.limit_nano}"


class Reservation(models.Model):
    """What is set aside for one job from its admission to its settlement. One a job, for ever."""

    job_id = models.UUIDField(primary_key=True)
    project_id = models.UUIDField()
    currency = models.CharField(max_length=3)
    reserved_nano = models.BigIntegerField()
    reserved_ms = models.BigIntegerField()
    settled_nano = models.BigIntegerField(null=True)
    settled_ms = models.BigIntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["project_id"], name="reservation_open", condition=Q(settled_ms=None)),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(reserved_nano__gte=0), name="reservation_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} {self.reserved_nano}"


class SetAside(models.Model):
    """At least what a project's open reservations come to. It grows with each one, by trigger (migration 0009).

    Settling leaves it alone, so that what ends and what begins never wait for one another; where it seems to be too
    much, it is set right (services/admission.py).
    """

    project_id = models.UUIDField(primary_key=True)
    nano = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.project_id} {self.nano}"
