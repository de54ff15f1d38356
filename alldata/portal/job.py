"""What does one job's page show? The answer first, then the evidence, each part also a URL of its own."""

from dataclasses import replace
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from alldata.kernel.clock import now_ms
from alldata.portal.job_parts import limit_of, placements_of, promise_of, timeline_of
from alldata.portal.sentences import shortfall
from alldata.portal.spending import spend_of_job
from alldata.portal.why import why_of
from alldata.tenancy.pages import PageRequest, page
from alldata.web.htmx import fragment, unchanged
from monitoring.selectors.usage import series_of_job
from scheduling.executors.base import LogChunk
from scheduling.ports import ports
from scheduling.selectors.answers import JobView
from scheduling.selectors.holds import hold_of_job
from scheduling.selectors.jobs import job_revision, job_row, job_view
from scheduling.services.logs import Span, read_log

TABS = ("log", "events", "decision", "metrics", "files")
LOG_FIRST, LOG_MORE = 96 * 1024, 64 * 1024
#: Spend and usage move without the job's revision: the live part is redrawn at least this often.
REDRAW_MS = 6_000


@require_GET
@page
def job(request: PageRequest, reference: str, tab: str = "log") -> HttpResponse:
    """The whole page; `tab` is one of TABS."""
    view = job_view(request.viewer, reference)
    context = _live(request, view) | {"tab": tab, "tabs": TABS, "confirm": request.GET.get("confirm") == "stop"}
    context |= _timeline(request, view)
    if tab == "decision" and request.GET.get("why") == "1" and view.decision:
        context |= {"why": why_of(request.viewer, reference, _member(request))}
    if tab == "log":
        context |= _log(request, reference, after=-LOG_FIRST, limit=LOG_FIRST)
    return render(request, "portal/job.html", context)


@require_GET
@page
def live(request: PageRequest, reference: str) -> HttpResponse:
    """State, tiles, reasons, placement and cost: one answer, its parts swapped out of band."""
    drawn = request.GET.get("at", "")
    fresh = drawn.isdecimal() and now_ms() - int(drawn[:15]) < REDRAW_MS
    if fresh and str(job_revision(request.viewer, reference)) == request.GET.get("rev"):
        return unchanged()
    view = job_view(request.viewer, reference)
    context = _live(request, view) | {"swap": True, "tab": request.GET.get("tab", "log")}
    return fragment(request, "portal/_job_live.html", context)


@require_GET
@page
def timeline(request: PageRequest, reference: str) -> HttpResponse:
    """The lanes alone."""
    view = job_view(request.viewer, reference)
    return fragment(request, "portal/_job_timeline.html", _timeline(request, view))


@require_GET
@page
def why(request: PageRequest, reference: str) -> HttpResponse:
    """The table behind the latest decision, worked out when somebody unfolds it."""
    return fragment(request, "portal/_job_why.html", {"why": why_of(request.viewer, reference, _member(request))})


@require_GET
@page
def log(request: PageRequest, reference: str) -> HttpResponse:
    """What was written since byte `after`; 204 while there is nothing new."""
    text = request.GET.get("after", "0")
    after = int(text[:16]) if text.isdecimal() else 0
    context = _log(request, reference, after=after, limit=LOG_MORE)
    chunk: LogChunk = context["chunk"]
    if not chunk.text and not context["row"].is_over:
        return unchanged()
    return fragment(request, "portal/_job_log.html", context)


def _live(request: PageRequest, view: JobView) -> dict[str, Any]:
    now = now_ms()
    row = view.row
    blamed = row.reason_facts.get("member")
    attempt = next((a for a in view.latest if a.component == blamed), next(iter(view.latest), None))
    placements = placements_of(request.viewer, view.latest)
    nearest = row.reason_facts.get("nearest") if row.state == "queued" else None
    decision = view.decision or {}
    return {
        "view": view,
        "row": row,
        "hold": hold_of_job(request.viewer, row.id) if row.reason == "reserved" else None,
        "profile": row.profile.partition("@")[::2],
        "attempt": attempt,
        "now_ms": now,
        "promise": promise_of(view, now_ms=now),
        "progress": progress_of(attempt.progress) if attempt else None,
        "placement": placements[0] if placements else None,
        "members": placements if len(placements) > 1 else [],
        "member": _member(request),
        "spend": spend_of_job(request.viewer, row.reference),
        "limit": limit_of(request.viewer, view, now_ms=now),
        "nearest": shortfall(nearest) if nearest else None,
        "relaxations": decision.get("relaxations", []) if decision.get("outcome") == "refused" else [],
    }


def progress_of(said: Any) -> dict[str, Any] | None:
    """What the job says of itself: share, and the words under it."""
    step, steps = said.get("step"), said.get("steps")
    if not said:
        return None
    return {**said, "share": step / steps if step is not None and steps else None}


def _timeline(request: PageRequest, view: JobView) -> dict[str, Any]:
    now = now_ms()
    usage = series_of_job(request.viewer, view.row.reference, span=(None, None), now_ms=now)
    mine = replace(view, attempts=tuple(a for a in view.attempts if a.member == _member(request)))
    line = timeline_of(request.viewer, mine, usage, now_ms=now)
    return {"view": view, "row": view.row, "line": line, "usage": usage, "member": _member(request)}


def _log(request: PageRequest, reference: str, *, after: int, limit: int) -> dict[str, Any]:
    span = Span(after=after, limit=limit, member=_member(request))
    chunk = read_log(request.viewer, reference, span, ports=ports())
    return {"chunk": chunk, "row": job_row(request.viewer, reference), "member": span.member}


def _member(request: HttpRequest) -> int:
    """Which member of a gang is looked at; the first when nothing is said."""
    text = request.GET.get("member", "0")
    return int(text[:6]) if text.isdecimal() else 0


def tab_view(request: HttpRequest, reference: str, tab: str) -> HttpResponseBase:
    """A tab is a link: /jobs/J-1/events/."""
    if tab not in TABS:
        raise Http404
    return job(request, reference, tab)


@require_GET
@page
def file(request: PageRequest, reference: str, name: str) -> FileResponse:
    """A kept file, as it was left."""
    view = job_view(request.viewer, reference)
    kept = next((f for f in view.artifacts if f.name == name), None)
    if kept is None:
        raise Http404
    handle = ports().blobs.path(kept.sha256).open("rb")
    return FileResponse(handle, as_attachment=True, filename=name.rpartition("/")[2])
