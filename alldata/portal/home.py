"""What does a person see first? What needs them, what runs, what has just ended; and the jump field."""

import re
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from alldata.kernel.clock import now_ms
from alldata.portal.spending import spend_of_rows, spent_this_month
from alldata.portal.times import local, today
from alldata.tenancy.pages import PageRequest, page
from alldata.web.htmx import fragment
from profiles.selectors import profiles_of
from scheduling.lifecycle import JOB_ENDS
from scheduling.selectors.answers import JobRow
from scheduling.selectors.inventory import machines
from scheduling.selectors.jobs import jobs_page
from scheduling.selectors.pipelines import pipelines_of

SILENT_MS = 30_000
SHOWN = 6


@require_GET
@page
def home(request: PageRequest) -> HttpResponse:
    """The start page."""
    now = now_ms()
    hour = local(now).hour
    known = machines(request.viewer)
    context = _running(request) | {
        "today": today(now),
        "greeting": _("Good morning") if hour < 12 else _("Good afternoon") if hour < 18 else _("Good evening"),
        "machines": known,
        "silent": [node for node in known if now - node.seen_ms > SILENT_MS],
        "profiles": profiles_of(request.viewer),
        "month": spent_this_month(request.viewer, now_ms=now),
    }
    return render(request, "portal/home.html", context)


@require_GET
@page
def running(request: PageRequest) -> HttpResponse:
    """The living middle of the page."""
    return fragment(request, "portal/_home_running.html", _running(request))


def _running(request: PageRequest) -> dict[str, Any]:
    now = now_ms()
    ended, _more = jobs_page(request.viewer, states=sorted(JOB_ENDS), limit=SHOWN)
    going, _more = jobs_page(request.viewer, states=("queued", "admitted", "active"), limit=SHOWN)
    rows = [*going, *ended]
    spend = spend_of_rows([row.id for row in rows])
    runs = {row.trigger.id: row for row in pipelines_of(request.viewer, limit=20)}
    return {
        "running": [(row, spend.get(row.id)) for row in going],
        "ended": [(row, spend.get(row.id), runs.get(row.id)) for row in ended],
        "needs": [row for row in [*going, *ended] if _needs_someone(row, now)],
        "promises": _promises(ended),
        "now_ms": now,
    }


def _needs_someone(row: JobRow, now: int) -> bool:
    """Waiting without hope, or failed within the last day."""
    if row.state == "queued":
        return row.reason_facts.get("possible") is False or bool(row.deadline_ms and row.deadline_ms < now)
    return row.state in ("failed", "over_budget") and now - (row.ended_ms or 0) < 86_400_000


def _promises(rows: list[JobRow]) -> dict[str, int]:
    judged = [row for row in rows if row.deadline_met is not None]
    return {"kept": sum(bool(row.deadline_met) for row in judged), "of": len(judged)}


@require_GET
@page
def jump(request: PageRequest) -> HttpResponse:
    """J-12 opens the job, P-3 the pipeline; else the first thing whose name contains the text."""
    text = request.GET.get("q", "").strip()
    if match := re.fullmatch(r"(?i)([jp])-?(\d{1,18})", text):
        view = "job" if match[1].lower() == "j" else "pipeline"
        return redirect(view, f"{match[1].upper()}-{match[2]}")
    target = _named(request, text.casefold()) if text else None
    if target is not None:
        return target
    if text:
        messages.info(request, _("Nothing is called “%(text)s”.") % {"text": text[:60]})
    return redirect("jobs")


def _named(request: PageRequest, text: str) -> HttpResponse | None:
    for row in jobs_page(request.viewer, limit=200)[0]:
        if text in row.name.casefold():
            return redirect("job", row.reference)
    for node in machines(request.viewer):
        if text in node.name.casefold():
            return redirect("node", node.name)
    for profile in profiles_of(request.viewer):
        if text in profile.name.casefold() and profile.versions:
            return redirect("profile", profile.name, profile.versions[0].version)
    return None
