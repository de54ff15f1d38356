"""Read what was decided on a job, in order; the numbers start at 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from alldata.tenancy.viewer import Viewer
from scheduling.errors import DecisionNotFound
from scheduling.models import Decision, Job
from scheduling.selectors.jobs import find_job


@dataclass(frozen=True, slots=True)
class DecisionView:
    """One decision: placed, refused or conflicted, with the planner's answer as plain JSON values."""

    number: int
    at_ms: int
    outcome: str
    answer: Mapping[str, Any]


def decisions_of(viewer: Viewer, reference: str) -> list[DecisionView]:
    """Every decision on the job, the first first. Errors: JobNotFound."""
    rows = find_job(viewer, reference).decisions.order_by("at_ms", "id")
    return [DecisionView(n, row.at_ms, row.outcome, row.answer) for n, row in enumerate(rows, start=1)]


def find_decision(viewer: Viewer, reference: str, number: int) -> tuple[Job, Decision]:
    """The rows for this app's own services; 0 is the latest. Errors: JobNotFound, DecisionNotFound."""
    job = find_job(viewer, reference)
    rows = job.decisions.select_related("planner_input").order_by("at_ms", "id")
    row = rows.last() if number == 0 else rows[number - 1 : number].first() if 0 < number < 2**31 else None
    if row is None:
        raise DecisionNotFound(f"J-{job.number}", number)
    return job, row
