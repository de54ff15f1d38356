"""Read facts back: the history of one job, or a project's feed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.fields.json import KeyTextTransform

from alldata.outbox.models import OutboxEvent


@dataclass(frozen=True, slots=True)
class Fact:
    """A published fact; `id` orders facts by birth."""

    id: UUID
    name: str
    at_ms: int
    fields: Mapping[str, Any]


def _facts(rows: Any) -> list[Fact]:
    return [Fact(row.pk, row.name, row.at_ms, row.fields) for row in rows]


def facts_of_job(job_id: UUID) -> list[Fact]:
    """Everything published about one job, oldest first."""
    about = OutboxEvent.objects.annotate(job=KeyTextTransform("job_id", "fields"))
    return _facts(about.filter(job=str(job_id)).order_by("id"))


def facts_after(project_ids: Collection[UUID], *, after: UUID | None, limit: int) -> list[Fact]:
    """A page of the projects' facts in order of birth."""
    rows = OutboxEvent.objects.filter(project_id__in=project_ids)
    if after is not None:
        rows = rows.filter(id__gt=after)
    return _facts(rows.order_by("id")[:limit])
