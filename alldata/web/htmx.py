"""Answers to htmx: fragments that are never cached, and "nothing changed"."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def fragment(request: HttpRequest, template: str, context: dict[str, object]) -> HttpResponse:
    """A part of a page, complete by itself, never stored by a cache."""
    response = render(request, template, context)
    response.headers["Cache-Control"] = "no-store"
    return response


def unchanged() -> HttpResponse:
    """204: htmx swaps nothing."""
    return HttpResponse(status=204, headers={"Cache-Control": "no-store"})
