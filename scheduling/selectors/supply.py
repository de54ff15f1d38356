"""Which machines are there, and what is left of each, as the planner sees them?

A process remembers what it has read: the server says per machine which versions of its rows are in
force, and only machines with another version are read again. So a look at an unchanged cluster costs one
small query, and equal machines are the same objects from look to look (recording.py relies on it).
Platform-internal: no viewer. A claim always changes its device's capacity row, so core numbers follow too.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
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

#: (xmin, ctid) names one version of one row.
LOOK = """
SELECT node.id::text, node.name, node.simulated, node.draining, node.engine, node.seen_ms, machine.version
FROM scheduling_node AS node JOIN (
  SELECT node_id, string_agg(concat_ws(',', device.xmin, device.ctid, capacity.xmin, capacity.ctid), ' '
    ORDER BY device.id) AS version
  FROM scheduling_device AS device JOIN scheduling_devicecapacity AS capacity ON capacity.device_id = device.id
  WHERE device.retired_ms IS NULL GROUP BY node_id) AS machine ON machine.node_id = node.id
ORDER BY node.name"""
COLUMNS = ", ".join(f"capacity.capacity_{d}, capacity.reserved_{d}" for d in ADDITIVE)
READ = f"""
SELECT device.node_id::text, device.uuid, device.type, device.numa_node, device.parent, device.vendor, device.model,
  device.attributes::text, device.healthy, device.degraded_reason, device.cpus, capacity.overcommitted, {COLUMNS}
FROM scheduling_device AS device JOIN scheduling_devicecapacity AS capacity ON capacity.device_id = device.id
WHERE device.retired_ms IS NULL AND device.node_id = ANY(%s::uuid[]) ORDER BY device.uuid"""
FIRST = 12  # where the amounts begin


@dataclass(frozen=True, slots=True)
class _Known:
    """A machine as it was read, and the version of its rows."""

    version: str
    node: Node


_known: dict[str, _Known] = {}


def nodes_now(*, now_ms: int) -> tuple[Node, ...]:
    """All machines by name. A machine whose agent is silent is unusable, not gone."""
    with connection.cursor() as cursor:
        cursor.execute(LOOK)
        rows = cursor.fetchall()
    stale = [row[0] for row in rows if row[0] not in _known or _known[row[0]].version != row[6]]
    read = _read(stale) if stale else {}
    for key in _known.keys() - {row[0] for row in rows}:
        _known.pop(key, None)
    return tuple([_node(row, read.get(row[0]), now_ms) for row in rows])


def _node(row: Row, devices: tuple[Device, ...] | None, now_ms: int) -> Node:
    """The machine that is known, unless something of it has changed."""
    key, name, simulated, draining, engine, seen_ms, version = row
    played = simulated and engine == LOCAL  # a recording has no cores: the job would run somewhere else
    silent = now_ms - seen_ms > SILENT_AFTER_MS
    reason = "recorded" if played else "draining" if draining else "agent_silent" if silent else None
    known = _known.get(key)
    if devices is None and known is not None:
        node = known.node
        if (node.unusable_reason, node.simulated) != (reason, simulated):
            node = replace(node, usable=reason is None, unusable_reason=reason, simulated=simulated)
    else:
        node = Node(name, devices or (), reason is None, reason, simulated)
    if known is None or known.node is not node:
        _known[key] = _Known(version, node)
    return node


def _read(keys: Collection[str]) -> Mapping[str, tuple[Device, ...]]:
    """The devices of these machines, by uuid."""
    busy = _busy_cores(keys)
    found: dict[str, list[Device]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(READ, [list(keys)])
        for row in cursor:
            found[row[0]].append(_device(row, busy.get(row[1], frozenset())))
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
    capacity, free = {}, {}
    for name, has, reserved in _amounts(row):
        capacity[name], free[name] = has, max(0, has - reserved)
    return Device(
        uuid=uuid,
        type=kind,
        numa_node=numa_node,
        parent=parent,
        capacity=capacity,
        free=free,
        attributes=_attributes(attributes, vendor, model),
        usable=reason is None,
        unusable_reason=reason,
        cpus=tuple([cpu for cpu in sorted(cpus) if cpu not in busy]),
    )


def _amounts(row: Row) -> Iterator[tuple[str, int, int]]:
    """Known capacities and what is reserved of them; unknown ones are absent."""
    return (
        (name, has, reserved)
        for name, has, reserved in zip(ADDITIVE, row[FIRST::2], row[FIRST + 1 :: 2], strict=True)
        if has is not None
    )


@lru_cache(maxsize=4096)
def _attributes(text: str, vendor: str, model: str) -> Mapping[str, Any]:
    """Equal devices share theirs; nobody writes to a core value."""
    return {**json.loads(text), "vendor": vendor, "model": model}
