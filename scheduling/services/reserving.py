"""Book a place before there is work for it.

A held place is an ordinary placement: a job with an attempt and claims, committed under the same lock and the same
conditions (services/placement.py), so it is shown, metered and charged like any other; the driver leaves it alone
until it is used. Next: services/holds.py uses it, lets it go or takes it back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from alldata.kernel.ids import uuid7
from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.selectors import ProjectView
from alldata.tenancy.services.numbers import next_job_number
from alldata.tenancy.viewer import Viewer
from scheduling.crater.gang_why import NODES
from scheduling.crater.model import Placement, Snapshot
from scheduling.crater.scene import Scene
from scheduling.crater.scores import per_hour
from scheduling.errors import NoPlace, RequestReused
from scheduling.models import Hold, Job
from scheduling.ports import Ports, Spend
from scheduling.selectors.answers import HoldView
from scheduling.selectors.holds import hold_view_of
from scheduling.services.answer import PreCheck
from scheduling.services.checking import Checked, check
from scheduling.services.commands import SubmitCommand
from scheduling.services.placement import commit_or_note
from scheduling.services.precheck import answer_of, snapshot_with, unborn
from scheduling.services.recording import record_input
from scheduling.services.replay import restored
from scheduling.services.submission import project_to_fill

HOLD_MS, MOST_HOLD_MS = 60_000, 600_000
TRIES = 3
#: Why a job with a held place does not run: shown instead of a state of its own.
RESERVED = "reserved"


class _Gone(Exception):
    """The room was taken between plan and commit; everything is undone and planned again."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who asks for which place, and for how long."""

    viewer: Viewer
    command: SubmitCommand
    checked: Checked
    hold_ms: int


def reserve_place(
    viewer: Viewer, command: SubmitCommand, *, hold_ms: int, ports: Ports, now_ms: int
) -> tuple[HoldView, PreCheck | None]:
    """Hold the place that the planner would give now; the answer is what a dry run says.

    A repeated request returns the first reservation, without an answer. Errors: NoPlace with the whole refusal,
    those of checking, and a spent budget's.
    """
    project = project_to_fill(viewer, command, "reserve places for this project")
    asked = _Asked(viewer, command, check(viewer, command, now_ms=now_ms), hold_ms)
    for _ in range(TRIES):
        if earlier := _earlier(project, command):
            return earlier, None
        job = unborn(asked.checked, now_ms=now_ms, name=uuid7())
        snapshot = snapshot_with(job, prices=ports.prices, now_ms=now_ms)
        answer, seen = answer_of(job, snapshot)
        if answer.placement is None:
            raise NoPlace(_reason(answer), answer)
        try:
            return _booked(asked, job, seen, answer, ports=ports), answer
        except (_Gone, IntegrityError):
            continue  # others were faster: look at what is left
    raise NoPlace("others were faster three times; try again", None)


def _earlier(project: ProjectView, command: SubmitCommand) -> HoldView | None:
    row = Hold.objects.filter(project_id=project.id, request_id=command.request_id).select_related("job").first()
    if row is None:
        return None
    if row.digest != command.digest():
        raise RequestReused(command.request_id)
    return hold_view_of(row)


def _booked(asked: _Asked, job: Job, snapshot: Snapshot, answer: PreCheck, *, ports: Ports) -> HoldView:
    """Job, claims, decision, money and the Hold row in one transaction."""
    now_ms, project = snapshot.now_ms, asked.checked.project
    placement = restored(Placement, answer.placement)
    until_ms = now_ms + asked.hold_ms
    with transaction.atomic():
        nano = round(per_hour(placement.picks, Scene(snapshot)) * asked.hold_ms / HOUR_MS)
        ports.budgets.reserve(asked.viewer, Spend(job.pk, project.id, nano), now_ms=now_ms)  # money before numbers
        job.number = next_job_number(project.organisation_id)
        job.request_id, job.submitted_by = f"hold:{job.pk}", asked.viewer.name
        job.grace_ms, job.changed_ms = 0, now_ms
        job.promise = PreCheck(fits=True, currency=job.currency).as_promise()  # nothing is promised of no work
        job.save(force_insert=True)
        if not commit_or_note(placement, seen=record_input(snapshot), now_ms=now_ms):
            raise _Gone
        Job.objects.filter(pk=job.pk).update(reason=RESERVED, reason_facts={"until_ms": until_ms})
        hold = Hold.objects.create(
            job=job,
            project_id=project.id,
            request_id=asked.command.request_id,
            digest=asked.command.digest(),
            asked=_kept(asked),
            until_ms=until_ms,
            created_ms=now_ms,
        )
        deed = Deed("place.reserve", f"J-{job.number}", project.id, {"until_ms": until_ms})
        record(asked.viewer, deed, now_ms=now_ms)
    return hold_view_of(hold)


def _kept(asked: _Asked) -> dict[str, Any]:
    """Fields of a SubmitCommand that ask for the same again, pinned to the version."""
    command, pinned = asked.command, asked.checked.pinned
    if command.demand is not None:
        return {"demand": command.demand}
    if command.legacy_gpu is not None:
        return {"legacy_gpu": command.legacy_gpu, "mode": pinned.mode}
    return {"profile": f"{pinned.name}@{pinned.version}", "mode": pinned.mode}


def _reason(answer: PreCheck) -> str:
    """One line of why, for people who read only one."""
    nearest: Mapping[str, Any] = (answer.refusal or {}).get("nearest") or {}
    if nearest.get("rule") == NODES:
        return f"{nearest['need']} members need a machine each, {nearest['have']} would do now"
    what = nearest.get("dimension") or nearest.get("type") or "devices"
    needs = f"needs {nearest.get('need')}, the nearest has {nearest.get('have')}"
    return f"{nearest.get('rule', 'capacity')} of {what}: {needs} {nearest.get('unit', '')}".rstrip()
