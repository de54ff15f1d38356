"""Train -> serve -> load test -> verdict, and the files jobs leave behind."""

from django.db import models

from alldata.kernel.ids import uuid7


class Artifact(models.Model):
    """A file an attempt left, stored by content (sha256)."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    job = models.ForeignKey("scheduling.Job", models.PROTECT, related_name="artifacts")
    project_id = models.UUIDField()
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    created_ms = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "name"], name="artifact_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class PipelineRun(models.Model):
    """One run of the inference pipeline, started by one finished training job, once.

    Steps: package -> serve -> test -> done. Each is reached by a level-triggered
    pass that looks at the jobs below and moves at most one step.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation_id = models.UUIDField()
    project_id = models.UUIDField()
    number = models.BigIntegerField()
    trigger = models.OneToOneField("scheduling.Job", models.PROTECT, related_name="pipeline")
    serve_job = models.ForeignKey("scheduling.Job", models.PROTECT, null=True, related_name="+")
    test_job = models.ForeignKey("scheduling.Job", models.PROTECT, null=True, related_name="+")
    step = models.CharField(max_length=12, default="package")  # package serve test done
    plan = models.JSONField()  # asked rate, duration, thresholds
    ready_ms = models.BigIntegerField(null=True)
    load = models.JSONField(default=dict)  # LoadResult
    verdict = models.CharField(max_length=14, blank=True)  # pass | fail | inconclusive
    reasons = models.JSONField(default=list)
    created_ms = models.BigIntegerField()
    changed_ms = models.BigIntegerField()
    rev = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation_id", "number"], name="pipeline_number_once"),
        ]

    def __str__(self) -> str:
        return f"P-{self.number} {self.step}"
