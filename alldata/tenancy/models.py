"""Organisation > team > project, and the people and tokens that act in them.

Every tenant-owned row elsewhere carries a `project_id` (or `organisation_id`) of these.
The audit trail is append-only by trigger (migration 0002).
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from alldata.kernel.ids import uuid7


class Role(models.TextChoices):
    """What a membership allows."""

    VIEWER = "viewer"
    MEMBER = "member"
    TEAM_ADMIN = "team_admin"
    FINANCE = "finance"
    PLATFORM_ADMIN = "platform_admin"


class Organisation(models.Model):
    """The tenant. Job and pipeline numbers (J-n, P-n) count within it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=120)
    currency = models.CharField(max_length=3, default="CNY")
    timezone = models.CharField(max_length=60, default="Asia/Shanghai")
    last_job_number = models.BigIntegerField(default=0)
    last_pipeline_number = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class Team(models.Model):
    """A group that shares quota. Under fair share a team of weight 2 may hold twice what one of weight 1 holds."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(Organisation, models.PROTECT, related_name="teams")
    slug = models.SlugField(max_length=63)
    name = models.CharField(max_length=120)
    weight = models.PositiveIntegerField(default=1, db_default=1)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(weight__gte=1, weight__lte=1000), name="team_weight_in_range"),
            models.UniqueConstraint(fields=["organisation", "slug"], name="team_slug_in_org"),
        ]

    def __str__(self) -> str:
        return self.name


class Project(models.Model):
    """What work is charged to."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, related_name="projects")
    slug = models.SlugField(max_length=63)
    name = models.CharField(max_length=120)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "slug"], name="project_slug_in_team"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One role of one person: in a team, or organisation-wide when `team` is empty."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    organisation = models.ForeignKey(Organisation, models.PROTECT, related_name="+")
    team = models.ForeignKey(Team, models.PROTECT, null=True, blank=True, related_name="+")
    role = models.CharField(max_length=20, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "organisation", "team", "role"],
                name="membership_once",
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.team_id or self.organisation_id}"


class ApiToken(models.Model):
    """A credential of one person for one project. Only its sha256 is kept."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    name = models.CharField(max_length=60)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    created_ms = models.BigIntegerField()
    expires_ms = models.BigIntegerField(null=True, blank=True)
    revoked_ms = models.BigIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.prefix}... {self.name}"


class Secret(models.Model):
    """A named secret of a project, given to jobs by name; never shown again."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    name = models.SlugField(max_length=63)
    sealed = models.BinaryField()
    created_ms = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="secret_name_in_project"),
        ]

    def __str__(self) -> str:
        return self.name


class AuditEntry(models.Model):
    """Who did what to what, when. Insert-only."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(Organisation, models.PROTECT, related_name="+")
    project_id = models.UUIDField(null=True)
    at_ms = models.BigIntegerField()
    actor = models.CharField(max_length=120)
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=200)
    facts = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["organisation", "-at_ms"], name="audit_recent")]
        constraints = [
            models.CheckConstraint(condition=Q(at_ms__gt=0), name="audit_entry_has_time"),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.target}"
