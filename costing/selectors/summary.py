"""What did the viewer's projects cost in a span of time? The same ledger, summed by project."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Sum

from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.selectors import projects_of
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import Bucket


@dataclass(frozen=True, slots=True)
class ProjectCost:
    """One project over the asked hours; `parts` are charged nano by capability and sum to the total."""

    project_id: UUID
    project: str
    team: str
    currency: str
    charged_nano: int
    idle_nano: int
    unmetered_nano: int
    jobs: int
    parts: dict[str, int]


@dataclass(frozen=True, slots=True)
class CapacityCost:
    """Where the capacity of all devices went (platform administrators and finance only)."""

    currency: str
    buckets: dict[str, int]  # all seven, nano; they sum to the capacity price
    capacity_nano: int


def cost_by_project(viewer: Viewer, *, from_ms: int, to_ms: int) -> list[ProjectCost]:
    """Whole UTC hours that overlap [from_ms, to_ms), by project name; zero is zero."""
    entries = LedgerEntry.objects.filter(
        project_id__in=viewer.project_ids, hour_ms__gt=from_ms - HOUR_MS, hour_ms__lt=to_ms
    )
    amounts: dict[UUID, list[tuple[str, str, int]]] = {}
    for project_id, bucket, dimension, nano in entries.values_list("project_id", "bucket", "dimension").annotate(
        nano=Sum("nano")
    ):
        amounts.setdefault(project_id, []).append((bucket, dimension, int(nano)))
    jobs = dict(entries.values_list("project_id").annotate(Count("job_id", distinct=True)))
    found = []
    for project in projects_of(viewer):
        mine = amounts.get(project.id, [])
        parts: dict[str, int] = {}
        for bucket, dimension, nano in mine:
            if bucket == Bucket.USED.value:
                parts[dimension] = parts.get(dimension, 0) + nano
        found.append(
            ProjectCost(
                project_id=project.id,
                project=project.name,
                team=project.team,
                currency=project.currency,
                charged_nano=sum(parts.values()),
                idle_nano=sum(nano for bucket, _, nano in mine if bucket == Bucket.ALLOCATED_IDLE.value),
                unmetered_nano=sum(nano for bucket, _, nano in mine if bucket == Bucket.UNMETERED.value),
                jobs=jobs.get(project.id, 0),
                parts=dict(sorted(parts.items(), key=lambda item: (-item[1], item[0]))),
            )
        )
    return found


def capacity_cost(*, from_ms: int, to_ms: int) -> CapacityCost:
    """All buckets of all devices over the hours that overlap the span (platform-internal)."""
    rows = (
        LedgerEntry.objects.filter(hour_ms__gt=from_ms - HOUR_MS, hour_ms__lt=to_ms)
        .values_list("bucket", "price_version__book__currency")
        .annotate(nano=Sum("nano"))
    )
    buckets = dict.fromkeys((bucket.value for bucket in Bucket), 0)
    currency = ""
    for bucket, book_currency, nano in rows:
        buckets[bucket] += int(nano)
        currency = book_currency
    return CapacityCost(currency, buckets, sum(buckets.values()))
