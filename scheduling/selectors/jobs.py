"""Read jobs, always through a viewer: what they may not see does not exist."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from alldata.kernel.errors import Invalid
from alldata.kernel.ids import BadReference, parse_job_reference
from alldata.outbox.selectors import facts_of_job
from alldata.tenancy.viewer import Viewer
from scheduling.errors import JobNotFound
from scheduling.lifecycle import JOB_ENDS, PREEMPTED, JobState
from scheduling.models import Artifact, Job, PipelineRun
from scheduling.selectors.answers import ArtifactView, JobEvent, JobRow, JobView
from scheduling.selectors.placements import with_placement
from scheduling.selectors.rows import attempt_view_of, job_row_of
from scheduling.selectors.told import Names, names_for, told

OPEN = frozenset(JobState) - JOB_ENDS
Decided = tuple[int, str, dict[str, Any]]  # when, outcome, answer


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
    job = find_job(viewer, reference)
    return job_row_of(job, names_for(viewer, [job.reason_facts]))


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
    if states and OPEN.issuperset(states):
        rows = rows.filter(ended_ms=None)  # which the small index of open jobs is made of
    if after is not None:
        if not after.isdecimal() or len(after) > 18:
            raise BadCursor
        rows = rows.filter(number__lt=int(after))
    page = list(rows.order_by("-number")[: limit + 1])
    more = str(page[limit - 1].number) if len(page) > limit else None
    names = names_for(viewer, [row.reason_facts for row in page])
    return [job_row_of(row, names) for row in page[:limit]], more


def job_view(viewer: Viewer, reference: str) -> JobView:
    """One job with its attempts, latest decision, history and files. Errors: JobNotFound."""
    job = find_job(viewer, reference)
    attempts = with_placement(job.attempts.select_related("node").order_by("ordinal", "member"))
    position, length = _queue_place(job)
    decisions = list(job.decisions.order_by("at_ms", "id").values_list("at_ms", "outcome", "answer"))
    names = names_for(viewer, [job.reason_facts, *(answer for _, _, answer in decisions)])
    return JobView(
        row=job_row_of(job, names),
        attempts=tuple(attempt_view_of(row) for row in attempts),
        decision=_latest(decisions, names),
        events=_history(job, decisions, names),
        artifacts=tuple(_artifact(row) for row in job.artifacts.order_by("name")),
        entry=job.entry,
        demand=job.demand,
        notices=tuple(job.notices),
        follow_up=job.follow_up,
        pipeline_id=_pipeline_of(job),
        queue_position=position,
        queue_length=length,
    )


def _latest(decisions: Sequence[Decided], names: Names) -> dict[str, Any] | None:
    """What was decided last; a stop for another's sake is an event, no decision on where to run."""
    found = [
        {**told(a, names), "outcome": outcome, "at_ms": at} for at, outcome, a in decisions if outcome != PREEMPTED
    ]
    return found[-1] if found else None


def _history(job: Job, decisions: Sequence[Decided], names: Names) -> tuple[JobEvent, ...]:
    """Facts from the outbox and decisions, oldest first."""
    facts = [JobEvent(f.at_ms, f.name, f.fields) for f in facts_of_job(job.pk)]
    own = [JobEvent(at_ms, f"decision.{outcome}", told(answer, names)) for at_ms, outcome, answer in decisions]
    return tuple(sorted(facts + own, key=lambda event: event.at_ms))


def _artifact(row: Artifact) -> ArtifactView:
    return ArtifactView(row.name, row.sha256, row.size, row.created_ms)


def _pipeline_of(job: Job) -> UUID | None:
    part_of = Q(trigger=job) | Q(serve_job=job) | Q(test_job=job)
    return PipelineRun.objects.filter(part_of).values_list("pk", flat=True).first()


def _queue_place(job: Job) -> tuple[int | None, int | None]:
    """Position by waiting time; the planner's order may differ by slack and priority."""
    if job.state != JobState.QUEUED:
        return None, None
    waiting = Job.objects.filter(state=JobState.QUEUED, ended_ms=None)
    ahead = waiting.filter(submitted_ms__lt=job.submitted_ms).count()
    return ahead + 1, waiting.count()
