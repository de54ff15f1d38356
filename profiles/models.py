"""Profiles with immutable published versions, and what operators add to the knowledge base.

A published text can never change: a trigger refuses it whatever the code does (migration 0002);
so it is with uploads to the knowledge base (migration 0004).
"""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from alldata.kernel.ids import uuid7


class Status(models.TextChoices):
    """draft -> published -> deprecated; never back."""

    DRAFT = "draft", _("Draft")
    PUBLISHED = "published", _("Published")
    DEPRECATED = "deprecated", _("Deprecated")


class Profile(models.Model):
    """A named way of using hardware, shared by the whole organisation."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey("tenancy.Organisation", models.PROTECT, related_name="+")
    name = models.CharField(max_length=63)
    created_ms = models.BigIntegerField()

    class Meta:
        verbose_name, verbose_name_plural = _("profile"), _("profiles")
        constraints = [
            models.UniqueConstraint(fields=["organisation", "name"], name="profile_name_in_org"),
        ]

    def __str__(self) -> str:
        return self.name


class ProfileVersion(models.Model):
    """One RCDL document. `canonical` is its JSON form and `digest` the sha256 of that."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    profile = models.ForeignKey(Profile, models.PROTECT, related_name="versions")
    version = models.CharField(max_length=13)
    major, minor = models.IntegerField(), models.IntegerField()
    text = models.TextField()
    canonical = models.TextField()
    digest = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    created_by = models.CharField(max_length=120)
    created_ms = models.BigIntegerField()
    published_ms = models.BigIntegerField(null=True, blank=True)
    deprecated_ms = models.BigIntegerField(null=True, blank=True)

    class Meta:
        verbose_name, verbose_name_plural = _("profile version"), _("profile versions")
        ordering = ["profile__name", "-major", "-minor"]
        constraints = [
            models.UniqueConstraint(fields=["profile", "version"], name="profile_version_once"),
            models.CheckConstraint(
                condition=Q(status=Status.DRAFT, published_ms=None) | ~Q(status=Status.DRAFT) & Q(published_ms__gt=0),
                name="profile_version_published_has_time",
            ),
            models.CheckConstraint(
                condition=Q(deprecated_ms=None) | Q(deprecated_ms__gte=F("published_ms")),
                name="profile_version_deprecated_after_published",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.profile.name} {self.version}"


class HardwareKnowledge(models.Model):
    """One upload to the knowledge base: parts with their facts. Never changed, only withdrawn."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.IntegerField(unique=True)
    parts = models.JSONField(help_text="entries as the shipped data files have them")
    text = models.TextField()
    digest = models.CharField(max_length=64)
    note = models.CharField(max_length=200, blank=True)
    created_by = models.CharField(max_length=120)
    created_ms = models.BigIntegerField()
    withdrawn_ms = models.BigIntegerField(null=True, blank=True)

    class Meta:
        verbose_name, verbose_name_plural = _("knowledge base version"), _("knowledge base versions")
        ordering = ["-version"]
        constraints = [
            models.CheckConstraint(condition=Q(version__gt=0), name="hardware_knowledge_version_from_one"),
            models.UniqueConstraint(
                fields=["digest"], condition=Q(withdrawn_ms=None), name="hardware_knowledge_in_force_once"
            ),
        ]

    def __str__(self) -> str:
        return f"+{self.version}"


class HardwareModel(models.Model):
    """One fact of the knowledge base that came after the release: value, unit, source, date, grade."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    type = models.CharField(max_length=20)
    vendor = models.CharField(max_length=40)
    model = models.CharField(max_length=80)
    dimension = models.CharField(max_length=40)
    value = models.CharField(max_length=40, help_text="a number with its unit, such as 1555 GB/s")
    source = models.CharField(max_length=120)
    grade = models.CharField(max_length=12, default="published")
    checked = models.DateField()
    valid_from_ms = models.BigIntegerField()
    valid_to_ms = models.BigIntegerField(null=True, blank=True)

    class Meta:
        verbose_name, verbose_name_plural = _("hardware fact"), _("hardware facts")
        constraints = [
            models.UniqueConstraint(
                fields=["vendor", "model", "dimension"],
                condition=Q(valid_to_ms=None),
                name="hardware_model_one_current_value",
            ),
            models.CheckConstraint(
                condition=Q(valid_to_ms=None) | Q(valid_to_ms__gt=F("valid_from_ms")), name="hardware_model_has_length"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.vendor} {self.model} {self.dimension}"


class HardwareOverride(models.Model):
    """An operator's own value for a part; it wins over everything published or measured."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    type = models.CharField(max_length=20)
    vendor = models.CharField(max_length=40)
    model = models.CharField(max_length=80)
    dimension = models.CharField(max_length=40)
    value = models.CharField(max_length=40, help_text="a number with its unit, such as 420 GB/s")
    reason = models.CharField(max_length=200)
    created_ms = models.BigIntegerField()
    ended_ms = models.BigIntegerField(null=True, blank=True)

    class Meta:
        verbose_name, verbose_name_plural = _("hardware override"), _("hardware overrides")
        constraints = [
            models.UniqueConstraint(
                fields=["vendor", "model", "dimension"],
                condition=Q(ended_ms=None),
                name="hardware_override_one_current_value",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.vendor} {self.model} {self.dimension}"
