"""Pages of scheduling alone: the list of jobs, stopping one, and the pipelines with their verdicts.

The job page combines usage and money and therefore lives in alldata/portal/job.py; the form
for a new job in alldata/portal/new_job.py.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from alldata.kernel.clock import now_ms
from alldata.tenancy.pages import PageRequest, page
from alldata.web.htmx import fragment, unchanged
from scheduling.errors import JobIsOver
from scheduling.lifecycle import JOB_ENDS, JobState
from scheduling.selectors import jobs as read
from scheduling.selectors.pipelines import pipeline_view, pipelines_of
from scheduling.services.cancellation import cancel_job

#: The filters of the list, as the URL and the chips name them.
GROUPS = {
    "": (),
    "waiting": (JobState.QUEUED, JobState.ADMITTED),
    "running": (JobState.ACTIVE,),
    "ended": tuple(sorted(JOB_ENDS)),
}
LATENCIES = (("P50", "p50_ms"), ("P95", "p95_ms"), ("P99", "p99_ms"), ("max", "max_ms"))


@require_GET
@page
def jobs(request: PageRequest) -> HttpResponse:
    """The list, newest first, with its filter in the URL."""
    return render(request, "scheduling/jobs.html", _rows(request))


@require_GET
@page
def jobs_rows(request: PageRequest) -> HttpResponse:
    """The rows alone: refreshed in place while the page is open."""
    context = _rows(request)
    stamp = "-".join(str(row.rev) for row in context["rows"])  # type: ignore[attr-defined]
    if stamp == request.GET.get("rev"):
        return unchanged()
    return fragment(request, "scheduling/_jobs_rows.html", context | {"stamp": stamp})


def _rows(request: PageRequest) -> dict[str, object]:
    chosen = request.GET.get("show", "")
    chosen = chosen if chosen in GROUPS else ""
    rows, after = read.jobs_page(
        request.viewer, states=GROUPS[chosen], after=request.GET.get("after") or None, limit=30
    )
    return {
        "rows": rows,
        "after": after,
        "first": "after" not in request.GET,
        "show": chosen,
        "groups": list(GROUPS),
        "stamp": "-".join(str(row.rev) for row in rows),
        "query": request.GET.urlencode(),
    }


@require_POST
@page
def stop(request: PageRequest, reference: str) -> HttpResponse:
    """Stop a job (asked and confirmed on its page)."""
    try:
        row = cancel_job(request.viewer, reference, now_ms=now_ms())
        messages.success(request, _("Stopping %(job)s.") % {"job": row.reference})
    except JobIsOver:
        messages.info(request, _("%(job)s had already ended.") % {"job": reference})
    return redirect("job", reference)


@require_GET
@page
def pipelines(request: PageRequest) -> HttpResponse:
    """Every run of the inference pipeline, newest first."""
    return render(request, "scheduling/pipelines.html", {"runs": pipelines_of(request.viewer)})


@require_GET
@page
def pipeline(request: PageRequest, reference: str) -> HttpResponse:
    """One run: steps, figures under load, verdict with its reasons."""
    return render(request, "scheduling/pipeline.html", _run(request, reference))


@require_GET
@page
def pipeline_steps(request: PageRequest, reference: str) -> HttpResponse:
    """The living part of the page."""
    context = _run(request, reference)
    if str(context["run"].rev) == request.GET.get("rev"):  # type: ignore[attr-defined]
        return unchanged()
    return fragment(request, "scheduling/_pipeline.html", context)


def _run(request: PageRequest, reference: str) -> dict[str, object]:
    run = pipeline_view(request.viewer, reference)
    order = ["package", "serve", "ready", "test", "done"]
    at = order.index(run.step) if run.step in order else 0
    jobs = {"package": run.trigger, "serve": run.serve, "test": run.test}
    steps = [
        (name, "done" if run.step == "done" or i < at else "now" if i == at else "", jobs.get(name))
        for i, name in enumerate(order)
    ]
    latencies = [(name, run.load.get(key) or 0) for name, key in LATENCIES]
    slowest = max((value for _name, value in latencies), default=0) or 1
    return {"run": run, "steps": steps, "over": run.step == "done", "latencies": latencies, "slowest": slowest}
