"""How do the budgets stand, and where will they end? Spent, set aside, the pace, the forecast."""

from datetime import UTC, datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from alldata.kernel.clock import now_ms
from alldata.kernel.errors import Invalid
from alldata.kernel.money import parse_nano
from alldata.tenancy.pages import PageRequest, page
from alldata.tenancy.selectors import projects_of
from costing.selectors.budgets import budgets_of
from costing.services.budgets import BudgetCommand, set_budget

Choice = tuple[str, str, str]


@require_http_methods(["GET", "POST"])
@page
def budgets(request: PageRequest) -> HttpResponse:
    """The budgets in force; those who may, set one for the present month."""
    fault = ""
    if request.method == "POST":
        fault = _set(request)
        if not fault:
            messages.success(request, _("The budget is set."))
            return redirect("budgets")
    now = now_ms()
    context = {
        "budgets": budgets_of(request.viewer, now_ms=now),
        "choices": choices_of(request),
        "fault": fault,
        "limit": request.POST.get("limit", ""),
        "month": month_of(now),
        "currency": request.project.currency,
    }
    return render(request, "costing/budgets.html", context, status=422 if fault else 200)


def month_of(now: int) -> tuple[int, int]:
    """The present month as whole UTC days."""
    first = datetime.fromtimestamp(now / 1000, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    after = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    return round(first.timestamp() * 1000), round(after.timestamp() * 1000)


def choices_of(request: PageRequest) -> list[Choice]:
    """(scope, id, name) of what the reader may set a budget for."""
    viewer, projects = request.viewer, projects_of(request.viewer)
    if not viewer.is_finance and "team_admin" not in viewer.roles:
        return []
    found = [("project", str(p.id), p.name) for p in projects]
    if viewer.is_finance:
        wide = {("team", str(p.team_id), p.team): None for p in projects}
        wide = {("organisation", str(p.organisation_id), p.organisation): None for p in projects} | wide
        found = [*wide, *found]
    return found


def _set(request: PageRequest) -> str:
    """Set what the form asks for; what is wrong with it, or ""."""
    scope, _colon, key = request.POST.get("scope", "").partition(":")
    if (scope, key) not in {(s, k) for s, k, _name in choices_of(request)}:
        return _("Choose what the budget is for.")
    now = now_ms()
    try:
        limit = parse_nano(request.POST.get("limit", ""))
        set_budget(request.viewer, BudgetCommand(scope, UUID(key), limit, *month_of(now)), now_ms=now)
    except Invalid:
        return _("The limit must be a number such as 1000.00.")
    return ""
