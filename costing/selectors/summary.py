"""What did the viewer's projects cost in a span of time? The same ledger, summed by project."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.selectors import ProjectView, projects_of
from alldata.tenancy.viewer import Viewer
from costing.rating import Bucket
from costing.selectors.spans import pieces


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


#: Each job once, whichever part of the span knows it.
JOBS = """
SELECT project_id, count(*) FROM (
    SELECT project_id, job_id FROM costing_jobday WHERE day_ms = ANY(%(days)s::bigint[])
    UNION SELECT project_id, job_id FROM ledger_entry WHERE {hours} AND job_id IS NOT NULL
) seen WHERE project_id = ANY(%(seen)s::uuid[]) GROUP BY project_id
"""
#: The same where the days follow one another: most jobs lie within them and need not be told apart.
JOBS_OF_DAYS = """
WITH within AS (
    SELECT project_id, job_id FROM costing_jobspan WHERE first_day_ms >= %(first)s AND last_day_ms < %(end)s),
others AS (
    SELECT project_id, job_id FROM costing_jobday WHERE day_ms >= %(first)s AND day_ms < %(end)s AND job_id IN (
        SELECT job_id FROM costing_jobspan WHERE last_day_ms >= %(first)s AND first_day_ms < %(end)s
            AND (first_day_ms < %(first)s OR last_day_ms >= %(end)s))
    UNION SELECT project_id, job_id FROM ledger_entry WHERE {hours} AND job_id IS NOT NULL
    EXCEPT SELECT s.project_id, s.job_id FROM costing_jobspan s
        WHERE first_day_ms >= %(first)s AND last_day_ms < %(end)s
            AND job_id IN (SELECT job_id FROM ledger_entry WHERE {hours}))
SELECT project_id, count(*) FROM (SELECT * FROM within UNION ALL SELECT * FROM others) seen
WHERE project_id = ANY(%(seen)s::uuid[]) GROUP BY project_id
"""
AMOUNTS = """
SELECT project_id, bucket, dimension, sum(nano), sum(charged) FROM {source}
WHERE project_id = ANY(%(seen)s::uuid[]) GROUP BY project_id, bucket, dimension
"""
BUCKETS = """
SELECT bucket, b.currency, sum(nano) FROM {source}
JOIN costing_priceversion pv ON pv.id = price_version_id JOIN costing_pricebook b ON b.id = pv.book_id
GROUP BY bucket, b.currency
"""


def cost_by_project(viewer: Viewer, *, from_ms: int, to_ms: int) -> list[ProjectCost]:
    """Whole UTC hours that overlap [from_ms, to_ms), by project name; zero is zero."""
    span = pieces(from_ms, to_ms)
    first, end = (span.days[0], span.days[-1] + DAY_MS) if span.days else (0, 0)
    asked = {"days": list(span.days), "first": first, "end": end, "seen": [str(p) for p in viewer.project_ids]}
    amounts: dict[UUID, list[_Amount]] = {}
    for project_id, *amount in _rows(AMOUNTS.format(source=span.source), asked):
        amounts.setdefault(project_id, []).append(_Amount(*amount))
    jobs = dict(_rows((JOBS_OF_DAYS if span.in_a_row else JOBS).format(hours=span.in_hours), asked))
    return [_project_cost(p, amounts.get(p.id, []), int(jobs.get(p.id, 0))) for p in projects_of(viewer)]


@dataclass(frozen=True, slots=True)
class _Amount:
    bucket: str
    dimension: str
    nano: int
    charged: int


def _project_cost(project: ProjectView, mine: list[_Amount], jobs: int) -> ProjectCost:
    parts: dict[str, int] = {}
    for amount in mine:
        if amount.charged:
            parts[amount.dimension] = parts.get(amount.dimension, 0) + int(amount.charged)
    return ProjectCost(
        project_id=project.id,
        project=project.name,
        team=project.team,
        currency=project.currency,
        charged_nano=sum(parts.values()),
        idle_nano=sum(int(a.nano) for a in mine if a.bucket == Bucket.ALLOCATED_IDLE.value),
        unmetered_nano=sum(int(a.nano) for a in mine if a.bucket == Bucket.UNMETERED.value),
        jobs=jobs,
        parts=dict(sorted(parts.items(), key=lambda item: (-item[1], item[0]))),
    )


def capacity_cost(*, from_ms: int, to_ms: int) -> CapacityCost:
    """All buckets of all devices over the hours that overlap the span (platform-internal)."""
    span = pieces(from_ms, to_ms)
    buckets = dict.fromkeys((bucket.value for bucket in Bucket), 0)
    currency = ""
    for bucket, book_currency, nano in _rows(BUCKETS.format(source=span.source), {"days": list(span.days)}):
        buckets[bucket] += int(nano)
        currency = book_currency
    return CapacityCost(currency, buckets, sum(buckets.values()))


def _rows(sql: str, asked: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, asked)
        return list(cursor.fetchall())
