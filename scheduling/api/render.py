"""Frozen answers as JSON. Money is {amount, currency, nano}; times are ms and end in `_ms`."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from alldata.kernel.money import Money
from profiles.dimensions import BY_NAME
from scheduling.ports import Shortage
from scheduling.selectors.answers import DeviceView, JobRow, JobView, PipelineView
from scheduling.services.answer import PreCheck

JOB = tuple(field.name for field in fields(JobRow))


def money(nano: int | None, currency: str) -> dict[str, str] | None:
    """An amount, or null when it is unknown."""
    return None if nano is None else Money(nano, currency).as_json()


def job(row: JobRow) -> dict[str, Any]:
    """A job in lists and as the head of its detail."""
    plain = {name: getattr(row, name) for name in JOB}
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
    del plain["shortage"]
    for key in ("cost_nano", "cost_high_nano"):
        plain[key.removesuffix("_nano")] = money(plain.pop(key), answer.currency)
    for part in (plain["placement"], plain["refusal"]):
        for one in (part, *part.get("members", ())) if part is not None else ():
            one.pop("job")  # it is not a job yet
    return plain | {"budget_shortage": shortage(answer.shortage), "unit_slips": [slip(s) for s in answer.unit_slips]}


def shortage(short: Shortage | None) -> dict[str, Any] | None:
    """A budget that would refuse, with what is left of it."""
    if short is None:
        return None
    names = ("limit_nano", "left_nano", "asked_nano")
    amounts = {name.removesuffix("_nano"): money(getattr(short, name), short.currency) for name in names}
    return {"scope": short.scope, "name": short.name, **amounts}


def slip(found: Mapping[str, Any]) -> dict[str, Any]:
    """A suspected unit with the sentence that asks for it."""
    shown = BY_NAME[found["dimension"]].show if found["dimension"] in BY_NAME else str
    asked, most, factor = found["asked"], found["most"], found["factor"]
    hint = f"unit? {shown(asked)} is {found['ratio']:g} x the best device here ({shown(most)})"
    return dict(found) | {"hint": f"{hint}; divided by {factor} it would be {shown(asked / factor)}"}


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
