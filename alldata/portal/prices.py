"""Which prices were in force when, and what would a new list change? For those who answer for money."""

import re
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
from costing.errors import BadPriceBook, FinanceOnly
from costing.pricing.cloud import COLUMNS
from costing.selectors.prices import known_prices
from costing.services.books import publish_prices
from costing.services.cloud_lists import CloudList, read_cloud_list
from costing.services.lists import PriceList, read_price_list
from costing.services.preview import preview_prices

MOST_TEXT = 2_000_000
NAME = re.compile(r"[\w-]{1,63}", re.ASCII)
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
    draft = _draft(request)
    context: dict[str, Any] = {"draft": draft, "columns": ", ".join(COLUMNS), "found": None, "fault": ""}
    if request.method == "POST":
        now = now_ms()
        try:
            asked = _read(draft, now)
            if request.POST.get("act") == "publish":
                return _publish(request, asked, now)
            context["found"] = preview_prices(request.viewer, asked, from_ms=now - PREVIEW_MS, to_ms=now)
        except AllDataError as refused:
            if not isinstance(refused, Invalid):
                raise
            context["fault"] = str(refused)
    return render(request, "costing/price_preview.html", context, status=422 if context["fault"] else 200)


def _draft(request: PageRequest) -> dict[str, str]:
    """The form as it was sent."""
    kept = {name: request.POST.get(name, "").strip() for name in ("name", "currency", "reference")}
    text = request.POST.get("text", "")[:MOST_TEXT]
    kind = "csv" if request.POST.get("kind", request.GET.get("kind")) == "csv" else "yaml"
    return {**kept, "text": text, "kind": kind, "currency": kept["currency"] or request.project.currency}


def _read(draft: dict[str, str], at_ms: int) -> PriceList:
    """The list the form holds. Errors: BadPriceBook, BadAmount."""
    if draft["kind"] == "yaml":
        return read_price_list(draft["text"])
    if not NAME.fullmatch(draft["name"]):
        raise BadPriceBook("name", "letters, digits, - and _, at most 63")
    asked = CloudList(draft["name"], draft["currency"], draft["text"], draft["reference"])
    return read_cloud_list(asked, now_ms=at_ms)


def _publish(request: PageRequest, asked: PriceList, at_ms: int) -> HttpResponse:
    with transaction.atomic():
        name = publish_prices(asked, now_ms=at_ms)
        record(request.viewer, Deed("prices.publish", name, facts={"digest": asked.digest}), now_ms=at_ms)
    messages.success(request, _("Published as %(name)s.") % {"name": name})
    return redirect("prices")
