"""What differs between two inputs of the planner, and how is the later one made again from the earlier?

Machines and jobs are compared one by one (unchanged ones are the same objects: selectors/supply.py, snapshot.py). Of a
machine that only has other amounts free these are said, and jobs that differ in little but their names share the rest;
everything else is kept whole where it differs. Plain JSON values on the side that reads.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Any

from scheduling.crater.kept import differ_in_load
from scheduling.crater.model import Node, Request, Snapshot

Plain = dict[str, Any]
#: Fields of many things with a name: the name, and what orders them in a snapshot.
NAMED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "nodes": ("name", ("name",)),
    "queue": ("job", ("submitted_ms", "job")),
}
#: What is said of each job, and what is said once for all that share it.
OWN = ("job", "submitted_ms", "deadline_ms")
SHARED = tuple(field.name for field in fields(Request) if field.name not in OWN)
#: What may differ in devices that are made alike (crater/kept.py).
LOAD = ("cpus", "free", "pins")
_free = attrgetter(*LOAD)
_own, _rest = attrgetter(*OWN), attrgetter(*(name for name in SHARED if name != "needs"))


def changes(old: Snapshot, new: Snapshot) -> dict[str, Any]:
    """The fields that differ, apart from the instant: {"all": value}, or {"gone": names, ...} and what is new."""
    found = {}
    for name in Snapshot.__slots__:
        before, after = getattr(old, name), getattr(new, name)
        if name != "now_ms" and before is not after and before != after:
            found[name] = _difference(name, before, after)
    return found


def _difference(field: str, before: Any, after: Any) -> dict[str, Any]:
    if field not in NAMED or not _in_order(field, after):
        return {"all": after}
    name = NAMED[field][0]
    had = {getattr(item, name): item for item in before}
    has = {getattr(item, name): item for item in after}
    gone = sorted(had.keys() - has.keys())
    other = {key: item for key, item in has.items() if had.get(key) is not item}
    if field == "queue":
        return {"gone": gone, "alike": _alike([job for key, job in other.items() if had.get(key) != job])}
    load = {key: _load(had[key], node) for key, node in other.items() if key in had and _is_made_alike(had[key], node)}
    new = [node for key, node in other.items() if key not in load and had.get(key) != node]
    return {"gone": gone, "load": {key: loads for key, loads in load.items() if loads}, "new": new}


def _is_made_alike(before: Node, now: Node) -> bool:
    return before.unusable_reason == now.unusable_reason and differ_in_load(before, now)


def _load(before: Node, now: Node) -> dict[str, dict[str, Any]]:
    """What is free of each device of which that is something else now."""
    pairs = zip(before.devices, now.devices, strict=True)
    others = [(old, device) for old, device in pairs if device is not old]
    return {d.uuid: dict(zip(LOAD, _free(d), strict=True)) for old, d in others if _free(d) != _free(old)}


def _alike(jobs: Iterable[Request]) -> list[dict[str, Any]]:
    """The jobs by what they share; equal needs are mostly the same object."""
    groups: dict[object, tuple[Request, list[tuple[Any, ...]]]] = {}
    for job in jobs:
        groups.setdefault((id(job.needs), *_rest(job)), (job, []))[1].append(_own(job))
    return [{"each": each, "of": {name: getattr(job, name) for name in SHARED}} for job, each in groups.values()]


def _in_order(field: str, items: Any) -> bool:
    """Whether the order follows from the items themselves, and each name is there once."""
    name, orders = NAMED[field]
    order = [*map(attrgetter(*orders), items)]
    return len({getattr(item, name) for item in items}) == len(items) and all(a < b for a, b in pairwise(order))


def applied(plain: Plain, found: Mapping[str, Any]) -> Plain:
    """The later input, as JSON values, from the earlier one and what differs."""
    later = dict(plain)
    for field, difference in found.items():
        if "all" in difference:
            later[field] = difference["all"]
            continue
        name, order = NAMED[field]
        items = {item[name]: item for item in plain[field]}
        for key in difference["gone"]:
            del items[key]
        for key, load in difference.get("load", {}).items():
            items[key] = _loaded(items[key], load)
        items |= {item[name]: item for item in _new(difference)}
        later[field] = sorted(items.values(), key=itemgetter(*order))
    return later


def _loaded(node: Plain, load: Mapping[str, Plain]) -> Plain:
    return node | {"devices": [device | load.get(device["uuid"], {}) for device in node["devices"]]}


def _new(difference: Mapping[str, Any]) -> Iterable[Plain]:
    """What was not there, or is something else now; inputs of earlier days have no groups."""
    yield from difference.get("new", ())
    for group in difference.get("alike", ()):
        yield from (group["of"] | dict(zip(OWN, own, strict=True)) for own in group["each"])
