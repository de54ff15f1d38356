"""Turn every error into RFC 9457 problem+json with a stable code. The only place with HTTP statuses."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions as drf
from rest_framework.response import Response

from alldata.kernel import errors

STATUS: Mapping[type[errors.AllDataError], int] = {
    errors.Invalid: 422,
    errors.NotFound: 404,
    errors.Forbidden: 403,
    errors.Unauthenticated: 401,
    errors.Conflict: 409,
    errors.TooLarge: 413,
    errors.Unavailable: 503,
}


def status_of(error: errors.AllDataError) -> int:
    """The HTTP status of an error's kind."""
    return next((status for kind, status in STATUS.items() if isinstance(error, kind)), 500)


def problem(status: int, code: str, detail: str, **extra: object) -> Response:
    """One problem document: {type, title, status, code, detail, ...}."""
    body = {
        "type": f"urn:alldata:problem:{code}",
        "title": code.replace("_", " "),
        "status": status,
        "code": code,
        "detail": detail,
        **{key: value for key, value in extra.items() if value not in (None, {}, [])},
    }
    return Response(body, status=status, content_type="application/problem+json")


def handle(failure: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's exception handler; None lets a programming error surface as a plain 500."""
    if isinstance(failure, errors.AllDataError):
        response = problem(
            status_of(failure),
            failure.code,
            str(failure),
            field=failure.field,
            facts=dict(failure.facts),
        )
        if isinstance(failure, errors.Unauthenticated):
            response["WWW-Authenticate"] = "Bearer"
        return response
    if isinstance(failure, drf.ValidationError):
        return problem(422, "invalid", _first_message(failure.detail), errors=failure.detail)
    if isinstance(failure, drf.APIException):
        code = str(failure.default_code)
        return problem(failure.status_code, code, str(failure.detail))
    if isinstance(failure, Http404):
        return problem(404, "not_found", "there is nothing here that you can see")
    if isinstance(failure, PermissionDenied):
        return problem(403, "forbidden", "your role does not allow this")
    return None


def _first_message(detail: object, path: str = "") -> str:
    """The first complaint as "field: message", for people who read only one line."""
    if isinstance(detail, Mapping):
        key, value = next(iter(detail.items()))
        return _first_message(value, f"{path}.{key}" if path else str(key))
    if isinstance(detail, list):
        return _first_message(detail[0], path)
    return f"{path}: {detail}" if path else str(detail)
