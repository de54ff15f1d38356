"""Where did the money go? By project, and by capability for one job; parts sum to the total."""

import csv
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from alldata.kernel.clock import now_ms
from alldata.kernel.money import decimal_text
from alldata.portal.cost_intervals import Hour, hour_of
from alldata.portal.cost_path import home_of, path_of
from alldata.portal.figures import money_parts
from alldata.portal.job_money import beside
from alldata.portal.spending import JobSpend, spend_of_job, spend_of_rows, spent_this_month
from alldata.portal.timeline import Axis, lane
from alldata.tenancy.pages import PageRequest, page
from alldata.tenancy.selectors import project_view
from costing.selectors.breakdown import breakdown
from costing.selectors.costs import JobCost
from costing.selectors.questions import By, Question
from costing.selectors.summary import capacity_cost
from monitoring.selectors.usage import series_of_job
from scheduling.selectors.answers import JobRow
from scheduling.selectors.jobs import jobs_page

BOM = "\ufeff"
DAY_MS = 86_400_000
AMOUNTS = ("charged", "held_idle", "unmetered")
COLUMNS = ("job", "capability", "currency", *AMOUNTS, "used_q", "held_q", "unit", "price_version")


@require_GET
@page
def cost(request: PageRequest) -> HttpResponse:
    """This month by project, the latest jobs, and for finance where the capacity went."""
    now = now_ms()
    projects = spent_this_month(request.viewer, now_ms=now)
    rows, _more = jobs_page(request.viewer, limit=20)
    spend = spend_of_rows([row.id for row in rows])
    totals: dict[str, int] = {}
    for project in projects:
        for name, nano in project.parts.items():
            totals[name] = totals.get(name, 0) + nano
    ordered = sorted(totals.items(), key=lambda pair: -pair[1])
    texts, total = money_parts([nano for _name, nano in ordered], request.project.currency)
    context = {
        "explore": home_of(request.project),
        "projects": projects,
        "total_nano": sum(totals.values()),
        "total": total,
        "idle_nano": sum(project.idle_nano for project in projects),
        "parts": [(name, nano, text) for (name, nano), text in zip(ordered, texts, strict=True)],
        "jobs": [(row, spend.get(row.id)) for row in rows],
        "currency": request.project.currency,
        "capacity": capacity_cost(from_ms=now - DAY_MS, to_ms=now) if request.viewer.is_finance else None,
    }
    return render(request, "costing/cost.html", context)


@require_GET
@page
def job_cost(request: PageRequest, reference: str) -> HttpResponse:
    """The drilldown of one job."""
    spend = spend_of_job(request.viewer, reference)
    return render(request, "costing/job_cost.html", _drilldown(request, spend))


def _drilldown(request: PageRequest, spend: JobSpend) -> dict[str, Any]:
    cost, row = spend.cost, spend.cost.job
    sparks = _sparks(request, row.reference)
    held = [(part, sparks.get(part.dimension), part.held_nano) for part in cost.parts]
    names = [name for name, nano in cost.buckets.items() if nano or name == "used" or name == "allocated_idle"]
    texts, total = money_parts([cost.buckets[name] for name in names], cost.currency)
    asked = request.GET.get("part", "")
    chosen = next((p for p in cost.parts if p.dimension == asked), cost.parts[0] if cost.parts else None)
    return {
        "row": row,
        "above": path_of(project_view(request.viewer, row.project_id)),
        **beside(request.viewer, cost, now_ms=now_ms()),
        "spend": spend,
        "cost": cost,
        "shown": {part.name: part.shown for part in spend.parts},
        "parts": held,
        "most_held": max((part.held_nano for part in cost.parts), default=0),
        "sum": list(zip(names, texts, strict=True)),
        "sum_total": total,
        "chosen": chosen,
        "png_note": ", ".join(cost.price_versions),
        "devices": _devices(request, row, chosen.dimension) if chosen else [],
        "hour": _hour(request, cost, chosen.dimension) if chosen else None,
    }


def _devices(request: PageRequest, row: JobRow, capability: str) -> list[tuple[str, int, str]]:
    """What each device took of one part, written so that it sums to the part as written."""
    question = Question(By.DEVICE, 0, now_ms() + DAY_MS, job=row.reference, capability=capability, limit=100)
    answer = breakdown(request.viewer, question)
    rows = [r for r in (*answer.rows, *([answer.rest] if answer.rest else [])) if r.amounts.total_nano]
    texts, _total = money_parts([r.amounts.charged_nano for r in rows], answer.currency)
    return [(r.key, r.amounts.charged_nano, text) for r, text in zip(rows, texts, strict=True)]


def _hour(request: PageRequest, cost: JobCost, capability: str) -> Hour | None:
    if request.GET.get("show") != "intervals":
        return None
    return hour_of(request.viewer, cost, {**request.GET.dict(), "part": capability}, now_ms=now_ms())


def _sparks(request: PageRequest, reference: str) -> dict[str, Any]:
    """Use over time, one small drawing a capability."""
    usage = series_of_job(request.viewer, reference, span=(None, None), now_ms=now_ms())
    axis = Axis(usage.start_ms, max(usage.end_ms, usage.start_ms + 1000))
    return {series.capability: lane(series, axis, whole=None) for series in usage.series if series.points}


@require_GET
@page
def job_csv(request: PageRequest, reference: str) -> HttpResponse:
    """The same lines, exact, for a spreadsheet."""
    cost = spend_of_job(request.viewer, reference).cost
    response = HttpResponse(BOM, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{cost.job.reference}-cost.csv"'
    lines = csv.writer(response)
    lines.writerow(COLUMNS)
    for part in cost.parts:
        money = [decimal_text(nano) for nano in (part.charged_nano, part.idle_nano, part.unmetered_nano)]
        quantities = [part.used_q, part.held_q, f"{part.unit}*ms"]
        lines.writerow([cost.job.reference, part.dimension, cost.currency, *money, *quantities, part.price_version])
    lines.writerow([cost.job.reference, "total", cost.currency, decimal_text(cost.charged_nano)])
    return response
