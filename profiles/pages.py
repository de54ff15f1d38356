"""Pages of profiles: which there are, and what one version says, mode by mode."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from alldata.tenancy.pages import PageRequest, page
from profiles.selectors import profiles_of, version_view


@require_GET
@page
def profiles(request: PageRequest) -> HttpResponse:
    """All profiles with their versions."""
    return render(request, "profiles/profiles.html", {"rows": profiles_of(request.viewer)})


@require_GET
@page
def profile(request: PageRequest, name: str, version: str) -> HttpResponse:
    """One version: what each mode asks for, and the document as it was written."""
    view = version_view(request.viewer, name, version)
    document = view.document
    row = next((row for row in profiles_of(request.viewer) if row.name == name), None)
    context = {
        "view": view,
        "row": row,
        "modes": sorted(document.modes.items(), reverse=True) or [("", document.body)],
        "lines": list(enumerate(view.text.splitlines(), 1)),
    }
    return render(request, "profiles/profile.html", context)
