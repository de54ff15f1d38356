"""The content policy and other headers on every answer."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

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
