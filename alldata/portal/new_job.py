"""Submit a job by form: the same shape, the same service and the same pre-check as the REST API.

The form is complete without JavaScript ("Check" is a button); with it the panel follows what is typed.
"""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from alldata.kernel.clock import now_ms
from alldata.kernel.errors import AllDataError
from alldata.kernel.ids import uuid7
from alldata.portal.choices import profile_choices
from alldata.portal.complaints import Complaint, Rejected, complaints_of, shortage_of
from alldata.portal.examples import DIGITS
from alldata.portal.held import held_place
from alldata.portal.job_parts import picks_of
from alldata.portal.sentences import shortfall
from alldata.portal.times import local
from alldata.portal.why import slip_of
from alldata.tenancy.pages import PageRequest, page
from alldata.web.htmx import fragment
from scheduling.api.shapes import SubmitShape
from scheduling.crater.unit_slip import UnitSlip
from scheduling.ports import ports
from scheduling.selectors.jobs import job_view
from scheduling.services.answer import PreCheck
from scheduling.services.commands import HOLD, SubmitCommand
from scheduling.services.holds import start_job
from scheduling.services.precheck import precheck
from scheduling.services.reserving import MOST_HOLD_MS, reserve_place

MINUTE_MS = 60_000
PRESETS = (10, 30, 60, 240)


@require_http_methods(["GET", "POST"])
@page
def new_job(request: PageRequest) -> HttpResponse:
    """The form; posting submits, or only checks when the button says so."""
    if request.method == "POST":
        return next((do(request) for button, do in BUTTONS.items() if button in request.POST), None) or _submit(request)
    return _form(request, _start(request), check=True)


@require_POST
@page
def precheck_panel(request: PageRequest) -> HttpResponse:
    """The pre-check alone, for what is in the form now."""
    return fragment(request, "portal/_precheck.html", _checked(request, request.POST))


def _start(request: PageRequest) -> dict[str, str]:
    """An example that runs as it is, or the values of the job to clone."""
    deadline = local(now_ms() + 10 * MINUTE_MS).strftime("%Y-%m-%dT%H:%M")
    fields = {**DIGITS, "deadline": deadline, "request_id": str(uuid7())}
    if reservation := request.GET.get("reservation"):
        return {**fields, "reservation": reservation, "profile": "", "mode": ""}
    reference = request.GET.get("from")
    return {**fields, **_cloned(request, reference)} if reference else fields


def _cloned(request: PageRequest, reference: str) -> dict[str, str]:
    view = job_view(request.viewer, reference)
    entry, row = view.entry, view.row
    file: Mapping[str, str] = next(iter(entry.get("files", [])), {})
    return {
        "name": row.name,
        "profile": row.profile,
        "mode": row.mode,
        "command": shlex.join(entry.get("command", [])),
        "script_name": file.get("name", ""),
        "script": file.get("text", ""),
        "outputs": ", ".join(entry.get("outputs", [])),
        "deadline_policy": row.deadline_policy,
        "budget": f"{row.cap_nano / 10**9:.2f}" if row.cap_nano is not None else "",
        "then": "on" if view.follow_up else "",
        "cloned": row.reference,
    }


def _form(
    request: PageRequest, fields: Mapping[str, str], *, check: bool, complaints: list[Complaint] | None = None
) -> HttpResponse:
    choices = profile_choices(request.viewer)
    context = {
        "fields": fields,
        "choices": choices,
        "modes": sorted({mode for choice in choices for mode in choice.modes}, reverse=True),
        "presets": PRESETS,
        "offset_minutes": int((local(now_ms()).utcoffset() or local(0) - local(0)).total_seconds() // 60),
        "complaints": complaints or [],
        "wrong": {c.field: c for c in complaints or []},
    }
    if complaints:
        held = held_place(request.viewer, fields.get("reservation", ""))
        context |= {"objections": complaints, "checked_ms": now_ms(), **held}
    elif check:
        context |= _checked(request, fields)
    return render(request, "portal/new_job.html", context, status=422 if complaints else 200)


def _check(request: PageRequest) -> HttpResponse:
    return _form(request, _typed(request), check=True)


def _hold(request: PageRequest) -> HttpResponse:
    """Book the place and give the form back as it was typed: sent now, the job starts there."""
    desk, typed = ports(), _typed(request)
    try:
        command = replace(command_of(request, request.POST), kind=HOLD)
        held, _found = reserve_place(request.viewer, command, hold_ms=MOST_HOLD_MS, ports=desk, now_ms=now_ms())
    except (AllDataError, Rejected) as refused:
        return _form(request, typed, check=True, complaints=complaints_of(refused))
    return _form(request, {**typed, "reservation": str(held.id), "request_id": str(uuid7())}, check=True)


BUTTONS = {"check": _check, "hold": _hold}


def _typed(request: PageRequest) -> dict[str, str]:
    """What was typed, kept for the next look at the form."""
    return {key: str(value) for key, value in request.POST.items()} | {"then": request.POST.get("then", "")}


def _submit(request: PageRequest) -> HttpResponse:
    try:
        command = command_of(request, request.POST)
        desk = ports()
        row = start_job(request.viewer, command, prices=desk.prices, budgets=desk.budgets, now_ms=now_ms())
    except (AllDataError, Rejected) as refused:
        return _form(request, _typed(request), check=False, complaints=complaints_of(refused))
    messages.success(request, _("%(job)s is submitted.") % {"job": row.reference})
    return redirect("job", row.reference)


def command_of(request: PageRequest, fields: Mapping[str, str]) -> SubmitCommand:
    """The form as the API's own shape. Errors: Rejected, and those of the shape's command."""
    try:
        command = shlex.split(fields.get("command", ""))
    except ValueError:
        raise Rejected([Complaint("command", _("A quotation mark is not closed."))]) from None
    shape = SubmitShape(data=_body(fields, command))
    if not shape.is_valid():
        raise Rejected([Complaint(_ours(name), _first(why)) for name, why in shape.errors.items()])
    return shape.as_command(request.project, request_id=fields.get("request_id") or str(uuid7()))


def _body(fields: Mapping[str, str], command: list[str]) -> dict[str, Any]:
    script = fields.get("script_name", "").strip()
    entry = {
        "command": command,
        "files": [{"name": script, "text": fields.get("script", "").replace("\r\n", "\n")}] if script else [],
        "outputs": [name.strip() for name in fields.get("outputs", "").split(",") if name.strip()],
    }
    body: dict[str, Any] = {"entry": entry}
    for ours in ("name", "profile", "mode", "deadline", "deadline_policy", "budget", "reservation"):
        if value := fields.get(ours, "").strip():
            body[ours] = value
    if not fields.get("then"):
        body["then"] = []
    return body


def _ours(name: str) -> str:
    theirs = {"entry": "command", "resource_profile": "profile", "sla_deadline": "deadline", "cost_budget": "budget"}
    return theirs.get(name, name)


def _first(why: Any) -> str:
    while isinstance(why, list | dict):
        why = next(iter(why.values() if isinstance(why, dict) else why), "")
    return str(why)


def _checked(request: PageRequest, fields: Mapping[str, str]) -> dict[str, Any]:
    """The pre-check or what keeps it from being made; a place that is held already needs none."""
    now = now_ms()
    if held := held_place(request.viewer, fields.get("reservation", "")):
        return {"checked_ms": now, **held}
    try:
        desk, command = ports(), command_of(request, fields)
        answer = precheck(request.viewer, command, prices=desk.prices, budgets=desk.budgets, now_ms=now)
    except (AllDataError, Rejected) as refused:
        return {"objections": complaints_of(refused), "checked_ms": now}
    picks = picks_of(request.viewer, answer.placement or {})
    return {"answer": answer, "checked_ms": now, "picks": picks, **_refused(answer)}


def _refused(answer: PreCheck) -> dict[str, Any]:
    refusal = answer.refusal or {}
    nearest = refusal.get("nearest")
    return {
        "nearest": shortfall(nearest) if nearest else None,
        "relaxations": refusal.get("relaxations", []),
        "slips": [slip_of(UnitSlip(**slip)) for slip in answer.unit_slips],
        "shortage": shortage_of(answer.shortage) if answer.shortage else "",
    }
