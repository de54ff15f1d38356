"""Every rule of a submission, applied without writing anything. Shape was checked at the door."""

from dataclasses import dataclass
from typing import Any

from alldata.tenancy.selectors import ProjectView, project_view
from alldata.tenancy.viewer import Viewer
from scheduling.errors import BadBudget, BadField, DeadlinePast, EntryTooLarge
from scheduling.services.commands import HOLD, SubmitCommand, digest_of
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


def check(viewer: Viewer, command: SubmitCommand, *, now_ms: int) -> Checked:
    """Apply every rule of a submission without writing anything."""
    project = project_view(viewer, command.project)
    _check_sla(command, project, now_ms)
    _check_entry(command)
    pinned = pin(viewer, command)
    sla = command.sla
    columns = {
        "organisation_id": project.organisation_id,
        "request_id": command.request_id,
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
        "follow_up": {k: v for k, v in pinned.follow_up.items() if command.then is None or k in command.then},
        "notices": list(pinned.notices),
        "policy": sla.policy,
        "priority": (priority := sla.priority or pinned.priority),
        "preemptible": priority < 0 if sla.preemptible is None else sla.preemptible,
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
    if not command.entry.command and command.kind != HOLD:
        raise BadField("entry.command", "empty", "give the program and its arguments as a list")
    for name in (*(f["name"] for f in command.entry.files), *command.entry.outputs):
        if not name or name.startswith("/") or ".." in name.split("/"):
            raise BadField("entry.files", name, "give a path below the working directory")
