"""Cards that several jobs hold: the jobs, the booking of their hour, what each was booked."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Sum

from alldata.kernel.intervals import Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.services.ledger import book_hour
from scheduling.models import Attempt, Device
from tests.fleet import AGENT, HOUR, LATER, attempt, holds, job


def tenants(viewer: Viewer, device: Device, held: Sequence[tuple[int, Interval]]) -> list[Attempt]:
    """One job each, holding an amount of HBM bandwidth over a span."""
    assert viewer.default_project_id is not None
    found = []
    for number, (amount, span) in enumerate(held, start=1):
        row = attempt(job(viewer.default_project_id, viewer.organisation_id, number), device)
        holds(row, device, amount, span)
        found.append(row)
    return found


def book(node: str = AGENT) -> None:
    """Book the hour of a node."""
    book_hour(node, HOUR, now_ms=LATER)


def booked(value: str = "q", **where: object) -> dict[tuple[str, UUID | None], int]:
    """By bucket and attempt, empty ones left out."""
    where = {"dimension": "hbm_bandwidth"} | where
    rows = LedgerEntry.objects.filter(**where).values_list("bucket", "attempt_id").annotate(n=Sum(value))
    return {(bucket, attempt_id): int(n) for bucket, attempt_id, n in rows if n}
