"""Frozen answers as JSON. Money is {amount, currency, nano}; times are ms and end in `_ms`."""

from dataclasses import asdict
from typing import Any

from alldata.kernel.money import Money
from scheduling.selectors.answers import DeviceView, JobRow, JobView, PipelineView
from scheduling.services.precheck import PreCheck


def money(nano: int | None, currency: str) -> dict[str, str] | None:
    """An amount, or null when it is unknown."""
    return None if nano is None else Money(nano, currency).as_json()


def job(row: JobRow) -> dict[str, Any]:
    """A job in lists and as the head of its detail."""
    plain = asdict(row)
    for key in ("cap_nano", "promise", "rev"):
        del plain[key]
    promise = dict(row.promise)
    cost = promise.pop("cost_nano", None)
    return plain | {
        "id": str(row.id),
        "project_id": str(row.project_id),
        "reference": row.reference,
        "budget": money(row.cap_nano, row.currency),
        "promise": promise | {"cost": money(cost, row.currency)} if row.promise else None,
        "revision": row.rev,
    }


def job_detail(view: JobView) -> dict[str, Any]:
    """A job with attempts, decision, history and files (scripts are listed, not repeated)."""
    files = [file["name"] for file in view.entry.get("files", [])]
    return job(view.row) | {
        "attempts": [asdict(a) | {"id": str(a.id)} for a in view.attempts],
        "decision": view.decision,
        "events": [asdict(event) for event in view.events],
        "artifacts": [asdict(file) for file in view.artifacts],
        "entry": {**view.entry, "files": files, "env": sorted(view.entry.get("env", {}))},
        "demand": view.demand,
        "notices": list(view.notices),
        "then": sorted(view.follow_up),
        "pipeline_id": str(view.pipeline_id) if view.pipeline_id else None,
        "queue_position": view.queue_position,
        "queue_length": view.queue_length,
    }


def precheck(answer: PreCheck) -> dict[str, Any]:
    """The pre-check with money as money."""
    plain = asdict(answer)
    for key in ("cost_nano", "cost_high_nano"):
        plain[key.removesuffix("_nano")] = money(plain.pop(key), answer.currency)
    return plain


def pipeline(view: PipelineView) -> dict[str, Any]:
    """A pipeline run with its jobs as references."""
    plain = asdict(view) | {"id": str(view.id), "project_id": str(view.project_id)}
    for part in ("trigger", "serve", "test"):
        row: JobRow | None = getattr(view, part)
        plain[part] = job(row) if row else None
    return plain | {"reference": f"P-{view.number}"}


def device(view: DeviceView) -> dict[str, Any]:
    """A device; `free` is null where the capacity is unknown."""
    return asdict(view) | {"dimensions": capabilities(view)}


def capabilities(view: DeviceView) -> list[dict[str, Any]]:
    """Each capability with capacity, what is promised, what is free, source and quality."""
    return [asdict(d) | {"free": None if d.capacity is None else d.capacity - d.reserved} for d in view.dimensions]
