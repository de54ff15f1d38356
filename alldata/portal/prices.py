"""Which prices were in force when, and what would a new list change? For those who answer for money."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from alldata.kernel.clock import now_ms
from alldata.kernel.errors import AllDataError, Invalid
from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.pages import PageRequest, page
from costing.errors import FinanceOnly
from costing.selectors.prices import known_prices
from costing.services.books import publish_prices
from costing.services.lists import read_price_list
from costing.services.preview import preview_prices

MOST_TEXT = 2_000_000
PREVIEW_MS = 30 * DAY_MS


def _finance(request: PageRequest) -> None:
    if not request.viewer.is_finance:
        raise FinanceOnly


@require_GET
@page
def prices(request: PageRequest) -> HttpResponse:
    """Every version, newest first."""
    _finance(request)
    versions = sorted(known_prices().values(), key=lambda version: -version.from_ms)
    return render(request, "costing/prices.html", {"versions": versions})


@require_GET
@page
def version(request: PageRequest, key: str) -> HttpResponse:
    """One version with its lines and how each divides between capabilities."""
    _finance(request)
    found = next((v for v in known_prices().values() if str(v.version_id) == key), None)
    if found is None:
        raise Http404
    lines = [(line, sorted(line.weights.items(), key=lambda pair: -pair[1])) for line in found.lines]
    return render(request, "costing/price_version.html", {"version": found, "lines": lines})


@require_http_methods(["GET", "POST"])
@page
def preview(request: PageRequest) -> HttpResponse:
    """What a list would change, by the last 30 days; publishing is a second step and final."""
    _finance(request)
    text = request.POST.get("yaml", "")[:MOST_TEXT]
    context: dict[str, Any] = {"text": text, "found": None, "fault": ""}
    if request.method == "POST":
        try:
            if request.POST.get("act") == "publish":
                return _publish(request, text)
            now = now_ms()
            asked = read_price_list(text)
            context["found"] = preview_prices(request.viewer, asked, from_ms=now - PREVIEW_MS, to_ms=now)
            context["name"] = asked.name
        except AllDataError as refused:
            if not isinstance(refused, Invalid):
                raise
            context["fault"] = str(refused)
    return render(request, "costing/price_preview.html", context, status=422 if context["fault"] else 200)


def _publish(request: PageRequest, text: str) -> HttpResponse:
    asked, now = read_price_list(text), now_ms()
    with transaction.atomic():
        name = publish_prices(asked, now_ms=now)
        record(request.viewer, Deed("prices.publish", name, facts={"digest": asked.digest}), now_ms=now)
    messages.success(request, _("Published as %(name)s.") % {"name": name})
    return redirect("prices")
