"""What does every page of a signed-in person share? The viewer, the organisation's time zone, and calm refusals."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from zoneinfo import ZoneInfo

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from alldata.kernel.errors import AllDataError
from alldata.tenancy.errors import NoMembership
from alldata.tenancy.selectors import ProjectView, project_view, viewer_of_user
from alldata.tenancy.viewer import Viewer
from alldata.web.problems import status_of

P = ParamSpec("P")


class PageRequest(HttpRequest):
    """A request whose reader is known."""

    viewer: Viewer
    project: ProjectView


Page = Callable[Concatenate[PageRequest, P], HttpResponseBase]


def page(view: Page[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Sign-in first; then the view, in the organisation's time zone; domain errors become error pages."""

    @wraps(view)
    def guarded(request: Any, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _sign_in(request)
        try:
            request.viewer = viewer_of_user(request.user)
            request.project = project_view(request.viewer)
            with timezone.override(ZoneInfo(request.project.timezone)):
                return view(request, *args, **kwargs)
        except NoMembership as refused:
            request.viewer = None
            return refusal(request, refused)
        except AllDataError as refused:
            return refusal(request, refused)

    return guarded


def _sign_in(request: HttpRequest) -> HttpResponse:
    """A whole page redirects; a fragment tells htmx to take the whole page along."""
    if not request.headers.get("HX-Request"):
        return redirect_to_login(request.get_full_path())
    return HttpResponse(status=204, headers={"HX-Redirect": "/sign-in/"})


def refusal(request: HttpRequest, refused: AllDataError) -> HttpResponse:
    """The page for an error of the domain: 404 for what the viewer may not see, 403 for what they may not do."""
    status = status_of(refused)
    template = {404: "404.html", 403: "403.html"}.get(status, "refused.html")
    return render(request, template, {"refused": refused, "status": status}, status=status)
