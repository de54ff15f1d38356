"""The content policy and other headers on every answer, and the short way for machines."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string

Next = Callable[[HttpRequest], HttpResponse]

STRICT = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
#: Pages that draw with plotly need inline styles; views opt in with `allow_inline_styles`.
CHARTS = STRICT.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
#: The admin console alone (its theme uses Alpine expressions).
CONSOLE = CHARTS.replace("script-src 'self'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'")


def allow_inline_styles(response: HttpResponse) -> HttpResponse:
    """Mark a page that holds a plotly chart."""
    response.headers["Content-Security-Policy"] = CHARTS
    return response


class SecurityHeaders:
    """One content policy for all pages, with two named exceptions."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        policy = CONSOLE if request.path.startswith("/console/") else STRICT
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        return response


class DirectDoors:
    """Doors that machines knock at every second (settings.DIRECT_DOORS) skip sessions, languages and page headers.

    Such a view answers for its own authentication and its own refusals; it never answers with a page.
    """

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response
        self.doors: dict[str, Next] = {path: import_string(name) for path, name in settings.DIRECT_DOORS.items()}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        door = self.doors.get(request.path_info)
        if door is None:
            return self.get_response(request)
        response = door(request)
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
