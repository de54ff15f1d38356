"""Read pipeline runs through a viewer."""

from uuid import UUID

from django.db.models import Q, QuerySet

from alldata.tenancy.viewer import Viewer
from scheduling.errors import PipelineNotFound
from scheduling.models import Job, PipelineRun
from scheduling.selectors.answers import JobRow, PipelineView
from scheduling.selectors.jobs import find_job
from scheduling.selectors.rows import job_row_of


def _visible(viewer: Viewer) -> QuerySet[PipelineRun]:
    return PipelineRun.objects.filter(project_id__in=viewer.project_ids).select_related(
        "trigger__project", "serve_job__project", "test_job__project"
    )


def pipeline_view(viewer: Viewer, reference: str) -> PipelineView:
    """One run by id or P-n. Errors: PipelineNotFound."""
    named = Q(number=int(reference[2:])) if _is_number(reference) else Q(pk=_uuid(reference))
    row = _visible(viewer).filter(named, organisation_id=viewer.organisation_id).first()
    if row is None:
        raise PipelineNotFound(reference)
    return _view(row)


def _is_number(reference: str) -> bool:
    return reference[:2].upper() == "P-" and reference[2:].isdecimal() and len(reference) < 20


def _uuid(reference: str) -> UUID:
    try:
        return UUID(reference)
    except ValueError:
        raise PipelineNotFound(reference) from None


def pipelines_of(viewer: Viewer, *, job: str | None = None, limit: int = 50) -> list[PipelineView]:
    """Runs, newest first; with `job`, those it takes part in. Errors: JobNotFound."""
    rows = _visible(viewer)
    if job is not None and (row := find_job(viewer, job)):
        rows = rows.filter(Q(trigger=row) | Q(serve_job=row) | Q(test_job=row))
    return [_view(row) for row in rows.order_by("-number")[:limit]]


def _view(row: PipelineRun) -> PipelineView:
    return PipelineView(
        id=row.pk,
        number=row.number,
        project_id=row.project_id,
        trigger=job_row_of(row.trigger),
        serve=_job(row.serve_job),
        test=_job(row.test_job),
        step=row.step,
        plan=row.plan,
        ready_ms=row.ready_ms,
        load=row.load,
        verdict=row.verdict,
        reasons=tuple(row.reasons),
        created_ms=row.created_ms,
        changed_ms=row.changed_ms,
        rev=row.rev,
    )


def _job(row: Job | None) -> JobRow | None:
    return job_row_of(row) if row else None
