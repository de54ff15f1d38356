"""What differs between two jobs, two periods or two profile versions? Only like is subtracted from like."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from alldata.kernel.clock import now_ms
from alldata.kernel.intervals import DAY_MS
from alldata.portal.sides import Side, side_of
from alldata.tenancy.pages import PageRequest, page
from alldata.tenancy.viewer import Viewer
from costing.selectors.compare import Comparison, ProfileSpend, compare, spend_of_profile
from costing.selectors.questions import By, Question
from costing.selectors.units import JobUnits, units_of_job
from scheduling.selectors.answers import JobRow
from scheduling.selectors.jobs import jobs_page

SUGGESTED = 6


@require_GET
@page
def compare_page(request: PageRequest) -> HttpResponse:
    """Both sides are in the address: `J-12`, `7d`, `7d-1` (the one before), `2026-11-01..2026-11-08`, `name@1.0`."""
    now = now_ms()
    a, b = (side_of(request.viewer, request.GET.get(name, "").strip()[:160], now_ms=now) for name in ("a", "b"))
    context: dict[str, Any] = {"a": a, "b": b, "fault": "", "suggested": _suggested(request.viewer, a)}
    if a.kind and b.kind:
        context |= _difference(request.viewer, a, b, now_ms=now)
    return render(request, "costing/compare.html", context)


def _difference(viewer: Viewer, a: Side, b: Side, *, now_ms: int) -> dict[str, Any]:
    if a.kind != b.kind:
        return {"fault": _("Only like is subtracted from like: two jobs, two periods or two profile versions.")}
    if a.kind == "profile":
        return _profiles(spend_of_profile(viewer, a.text), spend_of_profile(viewer, b.text))
    found = compare(viewer, _question(a, now_ms), _question(b, now_ms))
    answer: dict[str, Any] = {"found": found, "currency": found.a.currency or found.b.currency}
    if a.job and b.job:
        answer["units"] = _units(units_of_job(viewer, a.text), units_of_job(viewer, b.text))
        answer["times"] = [_elapsed(side.job) for side in (a, b)]
    return answer | {"change": _change(found)}


def _question(side: Side, now_ms: int) -> Question:
    if side.job is not None:
        end = (side.job.ended_ms or now_ms) + DAY_MS
        return Question(By.CAPABILITY, side.job.submitted_ms, end, job=side.job.reference, limit=50)
    start, end = side.span or (0, 1)
    return Question(By.CAPABILITY, start, end, limit=50)


def _elapsed(row: JobRow | None) -> int | None:
    if row is None or row.started_ms is None or row.ended_ms is None:
        return None
    return row.ended_ms - row.started_ms


def _change(found: Comparison) -> int | None:
    """Of the totals, in thousandths of A."""
    before, after = found.a.total.charged_nano, found.b.total.charged_nano
    return round(1000 * (after - before) / before) if before else None


def _units(a: JobUnits, b: JobUnits) -> list[tuple[str, int, int, int | None]]:
    """(unit, cost in A, cost in B, change) of what both counted."""
    theirs = {unit.unit: unit.cost_nano for unit in b.units}
    return [
        (unit.unit, unit.cost_nano, theirs[unit.unit], _permille(unit.cost_nano, theirs[unit.unit]))
        for unit in a.units
        if unit.unit in theirs
    ]


def _permille(before: int, after: int) -> int | None:
    return round(1000 * (after - before) / before) if before else None


def _profiles(a: ProfileSpend, b: ProfileSpend) -> dict[str, Any]:
    change = _permille(a.per_job_nano, b.per_job_nano) if a.per_job_nano and b.per_job_nano is not None else None
    return {"profiles": (a, b), "currency": a.currency or b.currency or "CNY", "change": change}


def _suggested(viewer: Viewer, a: Side) -> list[JobRow]:
    """Jobs worth comparing: of the same profile when one is chosen, else the latest."""
    rows = [row for row in jobs_page(viewer, limit=60)[0] if row.is_over and row.reference != a.text]
    same = [row for row in rows if a.job and row.profile == a.job.profile]
    return (same if a.job else rows)[:SUGGESTED]
