"""Read jobs, always through a viewer: what they may not see does not exist."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from alldata.kernel.errors import Invalid
from alldata.kernel.ids import BadReference, parse_job_reference
from alldata.outbox.selectors import facts_of_job
from alldata.tenancy.viewer import Viewer
from scheduling.errors import JobNotFound
from scheduling.lifecycle import JobState
from scheduling.models import Artifact, Job, PipelineRun
from scheduling.selectors.answers import ArtifactView, JobEvent, JobRow, JobView
from scheduling.selectors.rows import attempt_view_of, job_row_of


class BadCursor(Invalid):
    """A page cursor that this API did not give out."""

    code = "bad_cursor"
    field = "after"

    def __str__(self) -> str:
        return "after: use the `next` value of the previous page"


def _visible(viewer: Viewer) -> QuerySet[Job]:
    return Job.objects.filter(project_id__in=viewer.project_ids).select_related("project")


def find_job(viewer: Viewer, reference: str) -> Job:
    """The row for this app's own services. Errors: JobNotFound."""
    try:
        key = parse_job_reference(reference)
    except BadReference:
        raise JobNotFound(reference) from None
    named = Q(pk=key) if isinstance(key, UUID) else Q(number=key)
    job = _visible(viewer).filter(named, organisation_id=viewer.organisation_id).first()
    if job is None:
        raise JobNotFound(reference)
    return job


def job_row(viewer: Viewer, reference: str) -> JobRow:
    """One job in a line. Errors: JobNotFound."""
    return job_row_of(find_job(viewer, reference))


def job_revision(viewer: Viewer, reference: str) -> int:
    """The job's revision, for "has anything changed?". Errors: JobNotFound."""
    return find_job(viewer, reference).rev


def jobs_page(
    viewer: Viewer, *, states: Collection[str] = (), after: str | None = None, limit: int = 50
) -> tuple[list[JobRow], str | None]:
    """Newest first, by keyset; the second value is the next page's `after`. Errors: BadCursor."""
    rows = _visible(viewer).filter(organisation_id=viewer.organisation_id)
    if states:
        rows = rows.filter(state__in=states)
    if after is not None:
        if not after.isdecimal() or len(after) > 18:
            raise BadCursor
        rows = rows.filter(number__lt=int(after))
    page = list(rows.order_by("-number")[: limit + 1])
    more = str(page[limit - 1].number) if len(page) > limit else None
    return [job_row_of(row) for row in page[:limit]], more


def job_view(viewer: Viewer, reference: str) -> JobView:
    """One job with its attempts, latest decision, history and files. Errors: JobNotFound."""
    job = find_job(viewer, reference)
    attempts = job.attempts.select_related("node").order_by("ordinal")
    position, length = _queue_place(job)
    return JobView(
        row=job_row_of(job),
        attempts=tuple(attempt_view_of(row) for row in attempts),
        decision=_latest_decision(job),
        events=_history(job),
        artifacts=tuple(_artifact(row) for row in job.artifacts.order_by("name")),
        entry=job.entry,
        demand=job.demand,
        notices=tuple(job.notices),
        follow_up=job.follow_up,
        pipeline_id=_pipeline_of(job),
        queue_position=position,
        queue_length=length,
    )


def _latest_decision(job: Job) -> dict[str, Any] | None:
    row = job.decisions.order_by("-at_ms", "-id").first()
    return None if row is None else {**row.answer, "outcome": row.outcome, "at_ms": row.at_ms}


def _history(job: Job) -> tuple[JobEvent, ...]:
    """Facts from the outbox and decisions, oldest first."""
    facts = [JobEvent(f.at_ms, f.name, f.fields) for f in facts_of_job(job.pk)]
    decisions = [
        JobEvent(row.at_ms, f"decision.{row.outcome}", row.answer) for row in job.decisions.order_by("at_ms", "id")
    ]
    return tuple(sorted(facts + decisions, key=lambda event: event.at_ms))


def _artifact(row: Artifact) -> ArtifactView:
    return ArtifactView(row.name, row.sha256, row.size, row.created_ms)


def _pipeline_of(job: Job) -> UUID | None:
    part_of = Q(trigger=job) | Q(serve_job=job) | Q(test_job=job)
    return PipelineRun.objects.filter(part_of).values_list("pk", flat=True).first()


def _queue_place(job: Job) -> tuple[int | None, int | None]:
    """Position by waiting time; the planner's order may differ by slack and priority."""
    if job.state != JobState.QUEUED:
        return None, None
    waiting = Job.objects.filter(state=JobState.QUEUED)
    ahead = waiting.filter(submitted_ms__lt=job.submitted_ms).count()
    return ahead + 1, waiting.count()
