"""A place that is held: what a form that starts on it shows, and giving it back."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from alldata.kernel.clock import now_ms
from alldata.portal.job_parts import picks_of
from alldata.tenancy.pages import PageRequest, page
from alldata.tenancy.viewer import Viewer
from scheduling.errors import ReservationNotFound, ReservationOver
from scheduling.selectors.holds import HELD, hold_view
from scheduling.selectors.jobs import job_row
from scheduling.services.expiring import release_place


def held_place(viewer: Viewer, reservation: str) -> dict[str, Any]:
    """The place, what it is booked as, and its devices; nothing when there is none, or none any more."""
    try:
        view = hold_view(viewer, reservation)
    except ReservationNotFound:
        return {}
    if view.state != HELD:
        return {}
    return {"held": view, "booked": job_row(viewer, view.job), "picks": picks_of(viewer, view.placement)}


@require_POST
@page
def release(request: PageRequest, reference: str) -> HttpResponse:
    """Give the place back; no work is lost, so nothing is asked."""
    job = hold_view(request.viewer, reference).job
    try:
        release_place(request.viewer, reference, now_ms=now_ms())
        messages.success(request, _("The place of %(job)s is given back.") % {"job": job})
    except ReservationOver:
        messages.info(request, _("The place of %(job)s is in use already.") % {"job": job})
    return redirect("job", job)
