"""Take in what an agent says of its machine: nodes, devices, links, capacities.

Registering is idempotent; a device that is no longer reported is retired, never reused.
Capacity may fall below what is reserved: the row is then flagged overcommitted by the
database and takes nothing new.
"""

import json
from dataclasses import asdict

from django.db import transaction

from alldata.agent.wire import Register
from alldata.kernel.events import CapacityChanged
from alldata.outbox.publish import publish
from profiles.derive import DerivedDevice, derive
from profiles.dimensions import ADDITIVE
from profiles.selectors import knowledge
from scheduling.models import Device, DeviceCapacity, Link, Node


def register_node(message: Register, *, agent: str, agent_version: str, now_ms: int) -> bool:
    """Store the machine; True when anything the planner can see has changed."""
    devices = derive(message, knowledge())
    with transaction.atomic():
        columns = {
            "engine": message.engine,
            "agent_version": agent_version,
            "boot_id": message.boot_id,
            "facts": json.loads(json.dumps(asdict(message))),
            "seen_ms": now_ms,
            "simulated": message.simulated,
        }
        node, created = Node.objects.update_or_create(
            name=agent,
            defaults=columns,
            create_defaults=columns | {"name": agent, "registered_ms": now_ms},
        )
        changed = [_store_device(node, device, now_ms=now_ms) for device in devices]
        _store_links(node, message)
        gone = node.devices.filter(retired_ms=None).exclude(uuid__in=[d.uuid for d in devices])
        retired = gone.update(retired_ms=now_ms)
        if created or any(changed) or retired:
            publish(CapacityChanged(node.name, now_ms), now_ms=now_ms)
            return True
    return False


def _store_device(node: Node, facts: DerivedDevice, *, now_ms: int) -> bool:
    """Create or refresh one device and its wide capacity row; True when it changed."""
    columns = {
        "node": node,
        "type": facts.type,
        "name": facts.name,
        "numa_node": facts.numa_node,
        "parent": facts.parent,
        "vendor": facts.vendor,
        "model": facts.model,
        "attributes": dict(facts.attributes),
        "provenance": {name: {"source": c.source, "quality": c.quality} for name, c in facts.capacities.items()},
        "healthy": facts.healthy,
        "degraded_reason": facts.degraded_reason or "",
        "cpus": list(facts.cpus),
        "retired_ms": None,
    }
    device, created = Device.objects.get_or_create(uuid=facts.uuid, defaults=columns)
    changed = {key: value for key, value in columns.items() if getattr(device, key) != value}
    if changed and not created:
        Device.objects.filter(pk=device.pk).update(**changed)
    return _store_capacity(device, facts, now_ms=now_ms) or created or bool(changed)


def _store_capacity(device: Device, facts: DerivedDevice, *, now_ms: int) -> bool:
    values = {
        f"capacity_{name}": facts.capacities[name].value if name in facts.capacities else None for name in ADDITIVE
    }
    row, created = DeviceCapacity.objects.get_or_create(device=device, defaults=values | {"valid_from_ms": now_ms})
    if created or all(getattr(row, key) == value for key, value in values.items()):
        return created
    DeviceCapacity.objects.filter(pk=row.pk).update(**values, valid_from_ms=now_ms)
    return True


def touch_node(name: str, *, now_ms: int) -> None:
    """An agent gave a sign of life."""
    Node.objects.filter(name=name, seen_ms__lt=now_ms).update(seen_ms=now_ms)


def _store_links(node: Node, message: Register) -> None:
    """Replace the node's connections by the reported ones."""
    node.links.all().delete()
    for link in message.links:
        capacity = next((c.value for c in link.capacities.values() if c.value is not None), None)
        Link.objects.update_or_create(
            node=node,
            kind=link.kind,
            a=link.a,
            b=link.b,
            defaults={"capacity_bytes_per_s": capacity},
        )
