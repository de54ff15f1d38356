"""What was promised to jobs that had a deadline, how long they took, and was it kept? One organisation's own only."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Max

from scheduling.lifecycle import JobState
from scheduling.models import Job
from scheduling.selectors.history import Kind

PROMISES = 2_000


@dataclass(frozen=True, slots=True)
class Kept:
    """A job that had a deadline and is over. `promised` None: nothing was promised."""

    kind: Kind
    lasted_ms: int | None  # of a success
    allowed_ms: int
    deadline_ms: int
    promised: float | None
    was_kept: bool


def promises_stamp(organisation_id: UUID) -> int:
    """When a job with a deadline ended last: unchanged means that `promises` would say the same."""
    rows = Job.objects.filter(organisation_id=organisation_id, deadline_met__isnull=False)
    return int(rows.aggregate(last=Max("ended_ms"))["last"] or 0)


def promises(organisation_id: UUID) -> list[Kept]:
    """The newest jobs with a deadline that are over, in the order of their ends."""
    rows = Job.objects.filter(organisation_id=organisation_id, deadline_met__isnull=False).order_by("-ended_ms")
    names = (
        "profile_digest", "mode", "entry_digest", "state", "submitted_ms", "started_ms", "ended_ms", "deadline_ms",
        "promise", "deadline_met",
    )  # fmt: skip
    return [_kept(*row) for row in reversed(rows.values_list(*names)[:PROMISES])]


def _kept(*row: Any) -> Kept:
    digest, mode, entry, state, submitted, started, ended, deadline, promise, met = row
    ran = state == JobState.SUCCEEDED and started is not None
    promised = promise.get("chance", promise.get("on_time"))
    return Kept((digest, mode, entry), ended - started if ran else None, deadline - submitted, deadline, promised, met)
