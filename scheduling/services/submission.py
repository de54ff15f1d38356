"""Take a job into the queue, once per request id, or say exactly why not.

Shape was checked at the door (forms.py, api.py); the rules are here. Next: what a queued
job waits for is decided in services/placement.py.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from alldata.kernel.events import JobSubmitted
from alldata.outbox.publish import publish
from alldata.tenancy.audit import record
from alldata.tenancy.errors import MayNot
from alldata.tenancy.selectors import ProjectView, project_view
from alldata.tenancy.services.numbers import next_job_number
from alldata.tenancy.viewer import Viewer
from scheduling.errors import BadBudget, BadField, DeadlinePast, EntryTooLarge, RequestReused
from scheduling.models import Job
from scheduling.selectors.answers import JobRow
from scheduling.selectors.rows import job_row_of
from scheduling.services.commands import SubmitCommand, digest_of
from scheduling.services.demand import Pinned, pin

MAX_INLINE_BYTES = 1_000_000
DEFAULT_TIMEOUT_MS = 24 * 3_600_000
KINDS = {"training": "train", "inference": "serve"}


@dataclass(frozen=True, slots=True)
class Checked:
    """A command whose every field has passed, with what it resolves to."""

    project: ProjectView
    pinned: Pinned
    columns: dict[str, Any]


def submit_job(viewer: Viewer, command: SubmitCommand, *, now_ms: int) -> JobRow:
    """Queue a job; repeating a request returns the first job. Errors: scheduling.errors."""
    project = project_view(viewer, command.project)
    if not viewer.may_submit(project.id):
        raise MayNot("submit jobs to this project")
    if earlier := _earlier(project, command):
        return earlier
    checked = check(viewer, command, now_ms=now_ms)
    with transaction.atomic():
        row, created = Job.objects.get_or_create(
            project_id=project.id,
            request_id=command.request_id,
            defaults=checked.columns
            | {
                "number": next_job_number(project.organisation_id),
                "submitted_by": viewer.name,
                "submitted_ms": now_ms,
                "changed_ms": now_ms,
            },
        )
        if created:
            publish(JobSubmitted(str(row.pk), str(project.id)), now_ms=now_ms)
            record(
                viewer,
                "job.submit",
                f"J-{row.number}",
                now_ms=now_ms,
                project_id=project.id,
                facts={"profile": f"{row.profile_name}@{row.profile_version}"},
            )
    return _same_or_refuse(row, command)


def _earlier(project: ProjectView, command: SubmitCommand) -> JobRow | None:
    """A repeated request is answered before its rules are checked again (its deadline may be past)."""
    row = Job.objects.filter(project_id=project.id, request_id=command.request_id).first()
    return _same_or_refuse(row, command) if row else None


def _same_or_refuse(row: Job, command: SubmitCommand) -> JobRow:
    if row.digest != command.digest():
        raise RequestReused(command.request_id)
    return job_row_of(row)


def check(viewer: Viewer, command: SubmitCommand, *, now_ms: int) -> Checked:
    """Apply every rule of a submission without writing anything."""
    project = project_view(viewer, command.project)
    _check_sla(command, project, now_ms)
    _check_entry(command)
    pinned = pin(viewer, command)
    sla = command.sla
    columns = {
        "organisation_id": project.organisation_id,
        "name": command.name,
        "kind": command.kind or KINDS.get(pinned.mode, "run"),
        "mode": pinned.mode,
        "digest": command.digest(),
        "entry_digest": digest_of([command.entry.command, command.entry.as_json()["files"]]),
        "profile_name": pinned.name,
        "profile_version": pinned.version,
        "profile_digest": pinned.digest,
        "demand": pinned.demand,
        "entry": command.entry.as_json(),
        "follow_up": pinned.follow_up if command.then is None else dict.fromkeys(command.then, {}),
        "notices": list(pinned.notices),
        "policy": sla.policy,
        "priority": sla.priority or pinned.priority,
        "deadline_ms": sla.deadline_ms,
        "deadline_policy": sla.deadline_policy,
        "cap_nano": sla.cap_nano,
        "currency": project.currency,
        "grace_ms": pinned.grace_ms,
        "timeout_ms": command.timeout_ms or DEFAULT_TIMEOUT_MS,
    }
    return Checked(project, pinned, columns)


def _check_sla(command: SubmitCommand, project: ProjectView, now_ms: int) -> None:
    sla = command.sla
    if sla.deadline_ms is not None and sla.deadline_ms <= now_ms:
        late_s = (now_ms - sla.deadline_ms) // 1000
        raise DeadlinePast("sla_deadline", f"{late_s} s in the past", "give a time in the future")
    if sla.cap_nano is not None and sla.cap_nano < 0:
        raise BadBudget("cost_budget", "negative", "give zero or more, or leave it out")
    if sla.currency and sla.currency != project.currency:
        raise BadBudget("cost_budget", sla.currency, f"this project is charged in {project.currency}")


def _check_entry(command: SubmitCommand) -> None:
    size = sum(len(file.get("text", "").encode()) for file in command.entry.files)
    if size > MAX_INLINE_BYTES:
        raise EntryTooLarge(size, MAX_INLINE_BYTES)
    if not command.entry.command:
        raise BadField("entry.command", "empty", "give the program and its arguments as a list")
    for name in (*(f["name"] for f in command.entry.files), *command.entry.outputs):
        if not name or name.startswith("/") or ".." in name.split("/"):
            raise BadField("entry.files", name, "give a path below the working directory")
