"""Which model is better for the money? Every served version with its quality beside what it cost."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from alldata.tenancy.pages import PageRequest, page
from costing.selectors.model_versions import model_versions


@require_GET
@page
def models(request: PageRequest) -> HttpResponse:
    """Newest first; two of them go to the page that compares."""
    return render(request, "costing/models.html", {"versions": model_versions(request.viewer)})
