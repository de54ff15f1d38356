"""Which machines are there, and what is left of each, as the planner sees them?

A process remembers what it has read, and the server tells which machines have rows that were written since by a
transaction that could not be seen then (row versions carry its number). Only those are read again, so a look costs
what has changed. Nothing is taken on trust: another server, a restart, rows that vanished or a look from within a
transaction that has written itself make everything be read. What has not changed stays the same object from look to
look, which makes it cheap to see what did (crater/kept.py, services/deltas.py).
Platform-internal: no viewer. A claim always changes its device's capacity row, so core numbers follow too.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.db import connection

from profiles.dimensions import ADDITIVE
from scheduling.crater.model import Device, Node
from scheduling.lifecycle import AllocationState
from scheduling.models import Allocation

#: An agent sends a frame every few seconds; this much silence means we cannot see the node.
SILENT_AFTER_MS = 30_000
LOCAL = "local"
Row = tuple[Any, ...]

MACHINES = "SELECT id::text, name, simulated, draining, engine, seen_ms FROM scheduling_node ORDER BY name"
#: Parameter: the oldest transaction that ran at the last look; everything that it or a later one wrote is new.
CHANGED = """
WITH devices AS (
  SELECT count(*) AS rows, array_agg(DISTINCT node_id) FILTER (WHERE age(xmin) <= (SELECT age(%s::xid))) AS nodes
  FROM scheduling_device
), capacities AS (
  SELECT count(*) AS rows, array_agg(device_id) FILTER (WHERE age(xmin) <= (SELECT age(%s::xid))) AS devices
  FROM scheduling_devicecapacity
)
SELECT concat_ws(' ', pg_postmaster_start_time(), current_database()), devices.rows, capacities.rows,
  pg_snapshot_xmin(pg_current_snapshot())::xid::text, pg_current_xact_id_if_assigned() IS NOT NULL,
  devices.nodes::text[],
  ARRAY(SELECT DISTINCT node_id FROM scheduling_device WHERE id = ANY(capacities.devices))::text[]
FROM devices, capacities"""
COLUMNS = ", ".join(f"capacity.capacity_{d}, capacity.reserved_{d}" for d in ADDITIVE)
READ = f"""
SELECT device.node_id::text, device.uuid, device.type, device.numa_node, device.parent, device.vendor, device.model,
  device.attributes::text, device.healthy, device.degraded_reason, device.cpus, capacity.overcommitted, {COLUMNS}
FROM scheduling_device AS device JOIN scheduling_devicecapacity AS capacity ON capacity.device_id = device.id
WHERE device.retired_ms IS NULL AND device.node_id = ANY(%s::uuid[]) ORDER BY device.uuid"""
FIRST = 12  # where the amounts begin


@dataclass(frozen=True, slots=True)
class _Look:
    """What was seen: on which server, how many rows, the oldest transaction that ran then, and the machines by id."""

    server: str
    devices: int
    capacities: int
    since: str
    nodes: Mapping[str, Node]


#: The last look that may be built upon; the machines as any look met them last, and the last answer.
_last: list[_Look] = []
_met: dict[str, Node] = {}
_told: list[tuple[Node, ...]] = [()]


def nodes_now(*, now_ms: int) -> tuple[Node, ...]:
    """All machines by name. A machine whose agent is silent is unusable, not gone."""
    last = _last[0] if _last else None
    look, changed, has_written = _look(last.since if last else "3")
    with connection.cursor() as cursor:
        cursor.execute(MACHINES)
        rows = cursor.fetchall()
    known = last.nodes if last is not None and _continues(look, last) else {}
    stale = {row[0] for row in rows if row[0] not in known or row[0] in changed}
    read = _read(stale) if stale else {}
    nodes = {}
    for row in rows:
        key = row[0]
        before = _met.get(key) if key in stale else known[key]
        nodes[key] = _node(row, before, read.get(key, ()) if key in stale else known[key].devices, now_ms)
    if not has_written:  # what was written here may still be undone, and would then never be seen to change back
        _last[:] = [replace(look, nodes=nodes)]
    _met.clear()
    _met.update(nodes)
    return _told_again(tuple([node for node in nodes.values() if node.devices]))


def _look(since: str) -> tuple[_Look, frozenset[str], bool]:
    """How the rows stand, the machines that changed since, and whether this transaction has written itself."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGED, [since, since])
        server, devices, capacities, oldest, has_written, changed, refilled = cursor.fetchone()
    return _Look(server, devices, capacities, oldest, {}), frozenset([*(changed or ()), *refilled]), has_written


def _continues(look: _Look, last: _Look) -> bool:
    """Whether nothing but changes of rows and new rows lies between."""
    fewer = look.devices < last.devices or look.capacities < last.capacities
    return look.server == last.server and not fewer


def _told_again(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The last answer itself, where it is the same."""
    if len(nodes) != len(_told[0]) or any(one is not other for one, other in zip(nodes, _told[0], strict=True)):
        _told[0] = nodes
    return _told[0]


def _node(row: Row, met: Node | None, devices: tuple[Device, ...], now_ms: int) -> Node:
    """The machine that was met before, unless something of it is different."""
    _, name, simulated, draining, engine, seen_ms = row
    played = simulated and engine == LOCAL  # a recording has no cores: the job would run somewhere else
    silent = now_ms - seen_ms > SILENT_AFTER_MS
    reason = "recorded" if played else "draining" if draining else "agent_silent" if silent else None
    if met is None or (met.name, met.unusable_reason, met.simulated) != (name, reason, simulated):
        return Node(name, devices, reason is None, reason, simulated)
    same = met.devices is devices or met.devices == devices
    return met if same else Node(name, devices, reason is None, reason, simulated)


def _read(keys: Collection[str]) -> Mapping[str, tuple[Device, ...]]:
    """The devices of these machines, by uuid; those that are as they were met are the same objects."""
    busy = _busy_cores(keys)
    met = {device.uuid: device for key in keys if key in _met for device in _met[key].devices}
    found: dict[str, list[Device]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(READ, [list(keys)])
        for row in cursor:
            device, before = _device(row, busy.get(row[1], frozenset())), met.get(row[1])
            found[row[0]].append(before if before == device else device)
    return {key: tuple(devices) for key, devices in found.items()}


def _busy_cores(keys: Collection[str]) -> Mapping[str, set[int]]:
    """Core numbers that live claims hold, per device."""
    held: dict[str, set[int]] = defaultdict(set)
    live = Allocation.objects.exclude(state=AllocationState.RELEASED).exclude(cpus=[])
    for uuid, cpus in live.filter(device__node_id__in=keys).values_list("device__uuid", "cpus"):
        held[uuid].update(cpus)
    return held


def _device(row: Row, busy: Collection[int]) -> Device:
    _, uuid, kind, numa_node, parent, vendor, model, attributes, healthy, degraded, cpus, overcommitted = row[:FIRST]
    reason = "overcommitted" if overcommitted else None if healthy else degraded or "unhealthy"
    capacity, places = _capacity(row[FIRST::2])
    return Device(
        uuid=uuid,
        type=kind,
        numa_node=numa_node,
        parent=parent,
        capacity=capacity,
        free={name: max(0, has - row[at]) for name, has, at in places},
        attributes=_attributes(attributes, vendor, model),
        usable=reason is None,
        unusable_reason=reason,
        cpus=tuple([cpu for cpu in sorted(cpus) if cpu not in busy]) if cpus else (),
        pins=bool(cpus),
    )


@lru_cache(maxsize=4096)
def _capacity(amounts: tuple[int | None, ...]) -> tuple[Mapping[str, int], tuple[tuple[str, int, int], ...]]:
    """Known capacities, shared by equal devices, and where what is reserved of each stands; unknown ones are absent."""
    known = [(name, has, FIRST + 2 * at + 1) for at, (name, has) in enumerate(zip(ADDITIVE, amounts, strict=True))]
    places = tuple((name, has, at) for name, has, at in known if has is not None)
    return {name: has for name, has, _ in places}, places


@lru_cache(maxsize=4096)
def _attributes(text: str, vendor: str, model: str) -> Mapping[str, Any]:
    """Equal devices share theirs; nobody writes to a core value."""
    return {**json.loads(text), "vendor": vendor, "model": model}
