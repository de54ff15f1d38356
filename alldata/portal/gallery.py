"""The style gallery: every part of the design system in every state, on one page."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from alldata.portal.words import CAPABILITIES, JOB_STATES
from alldata.portal.words_of_verdicts import VERDICTS
from alldata.tenancy.pages import PageRequest, page
from profiles.dimensions import ADDITIVE


@require_GET
@page
def gallery(request: PageRequest) -> HttpResponse:
    """Samples only; no figure here is real."""
    context = {
        "states": list(JOB_STATES),
        "verdicts": [v for v in VERDICTS if v],
        "capabilities": [(name, CAPABILITIES[name], 25 + 7 * i) for i, name in enumerate(ADDITIVE)],
        "pair": [(40, ""), (25, "soft")],
    }
    return render(request, "portal/gallery.html", context)
