"""Read reservations, always through a viewer: what they may not see does not exist."""

from typing import Any
from uuid import UUID

from alldata.tenancy.viewer import Viewer
from scheduling.errors import ReservationNotFound
from scheduling.models import Hold
from scheduling.selectors.answers import HoldView
from scheduling.selectors.placements import with_placement

HELD, USED, RELEASED, EXPIRED = "held", "used", "released", "expired"
EXPIRY = "reservation_expired"


def find_hold(viewer: Viewer, reference: str) -> Hold:
    """The row for this app's own services, by its id. Errors: ReservationNotFound."""
    try:
        key = UUID(reference)
    except ValueError:
        raise ReservationNotFound(reference[:40]) from None
    if hold := Hold.objects.filter(pk=key, project_id__in=viewer.project_ids).select_related("job__project").first():
        return hold
    raise ReservationNotFound(reference)


def hold_view(viewer: Viewer, reference: str) -> HoldView:
    """One reservation. Errors: ReservationNotFound."""
    return hold_view_of(find_hold(viewer, reference))


def holds_of(viewer: Viewer) -> list[HoldView]:
    """Places held now for the viewer's projects, the first to expire first."""
    rows = Hold.objects.filter(project_id__in=viewer.project_ids, used_ms=None, job__ended_ms=None).select_related(
        "job"
    )
    return [hold_view_of(row) for row in rows.order_by("until_ms", "id")]


def hold_of_job(viewer: Viewer, job_id: UUID) -> HoldView | None:
    """The reservation that a job began as, if it did."""
    row = Hold.objects.filter(job_id=job_id, project_id__in=viewer.project_ids).select_related("job").first()
    return hold_view_of(row) if row else None


def hold_view_of(hold: Hold) -> HoldView:
    """One row as others may hold it; `hold.job` must be fresh."""
    return HoldView(
        id=hold.pk,
        job=f"J-{hold.job.number}",
        project_id=hold.project_id,
        state=_state(hold),
        expires_ms=hold.until_ms,
        created_ms=hold.created_ms,
        used_ms=hold.used_ms,
        placement=_place([one.placed for one in with_placement(hold.job.attempts.order_by("ordinal", "member"))]),
    )


def _place(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The placement as it was planned; of a gang put together from its members'."""
    if len(parts) < 2:
        return parts[0] if parts else {}
    picks = [pick for part in parts for pick in part["picks"]]
    return {**parts[0], "component": "", "picks": picks, "members": parts}


def _state(hold: Hold) -> str:
    if hold.used_ms is not None:
        return USED
    if hold.job.ended_ms is None:
        return HELD
    return EXPIRED if hold.job.reason == EXPIRY else RELEASED
