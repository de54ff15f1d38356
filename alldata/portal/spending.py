"""Money as pages show it: parts rounded together, so that what is shown adds up."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from alldata.portal.figures import money_parts
from alldata.portal.times import local
from alldata.tenancy.viewer import Viewer
from costing.selectors.costs import CapabilityCost, JobCost, Spend, cost_of_job
from costing.selectors.costs import spend_of_jobs as charged_by_job
from costing.selectors.summary import ProjectCost, cost_by_project


@dataclass(frozen=True, slots=True)
class ShownPart:
    """One capability with the amounts as written."""

    name: str
    nano: int
    shown: str
    cost: CapabilityCost


@dataclass(frozen=True, slots=True)
class JobSpend:
    """A job's cost ready to be written."""

    total_nano: int
    shown: str
    parts: tuple[ShownPart, ...]
    final: bool
    cost: JobCost


def spend_of_job(viewer: Viewer, reference: str) -> JobSpend:
    """What a job has cost so far, by capability; parts that cost nothing are left out."""
    cost = cost_of_job(viewer, reference)
    charged = [part for part in cost.parts if part.charged_nano]
    texts, total = money_parts([part.charged_nano for part in charged], cost.currency)
    parts = tuple(
        ShownPart(part.dimension, part.charged_nano, text, part) for part, text in zip(charged, texts, strict=True)
    )
    return JobSpend(cost.charged_nano, total, parts, cost.charged_is_final, cost)


def spend_of_rows(job_ids: Collection[UUID]) -> dict[UUID, Spend]:
    """Charged so far, for rows the viewer has already been shown."""
    return charged_by_job(job_ids)


def month_start_ms(now_ms: int) -> int:
    """Midnight of the first of the reader's month."""
    first = local(now_ms).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return round(datetime.fromtimestamp(first.timestamp(), UTC).timestamp() * 1000)


def spent_this_month(viewer: Viewer, *, now_ms: int) -> list[ProjectCost]:
    """The viewer's projects since the first of the month."""
    return cost_by_project(viewer, from_ms=month_start_ms(now_ms), to_ms=now_ms)
