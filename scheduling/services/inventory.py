"""Take in what an agent says of its machine: nodes, devices, links, capacities.

Registering is idempotent; a device that is no longer reported is retired, never reused.
Capacity may fall below what is reserved: the row is then flagged overcommitted by the
database and takes nothing new. What was reported is kept, so that capabilities can be derived
again when more is known of hardware (`derive_again`).
"""

import json
from dataclasses import asdict

from django.db import transaction

from alldata.agent.decode import decode
from alldata.agent.wire import Register, WireError
from alldata.kernel.events import CapacityChanged
from alldata.outbox.publish import publish
from profiles.derive import DerivedCapacity, DerivedDevice, DerivedLink, derive, link_graph
from profiles.dimensions import ADDITIVE
from profiles.hkb.lookup import Knowledge
from profiles.selectors import knowledge
from scheduling.models import Device, DeviceCapacity, Link, Node


def register_node(message: Register, *, agent: str, agent_version: str, now_ms: int) -> bool:
    """Store the machine; True when anything the planner can see has changed."""
    known = knowledge()
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
        changed = _store_machine(node, message, known, now_ms=now_ms) or created
        if changed:
            publish(CapacityChanged(node.name, now_ms), now_ms=now_ms)
    return changed


def derive_again(*, now_ms: int) -> int:
    """Every node's capabilities from what its agent said last and what is known now; how many nodes changed."""
    known, changed = knowledge(), 0
    for node in Node.objects.order_by("name"):
        try:
            message = decode(Register, node.facts)
        except WireError:
            continue  # told by an agent of another version, which reports again soon
        with transaction.atomic():
            if _store_machine(node, message, known, now_ms=now_ms):
                publish(CapacityChanged(node.name, now_ms), now_ms=now_ms)
                changed += 1
    return changed


def _store_machine(node: Node, message: Register, known: Knowledge, *, now_ms: int) -> bool:
    """Devices and links as they follow from the message; True when a device or its capacity changed."""
    devices = derive(message, known)
    changed = [_store_device(node, device, now_ms=now_ms) for device in devices]
    _store_links(node, link_graph(message, known))
    gone = node.devices.filter(retired_ms=None).exclude(uuid__in=[d.uuid for d in devices])
    return bool(gone.update(retired_ms=now_ms)) or any(changed)


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
        "provenance": {name: _told(capacity) for name, capacity in facts.capacities.items()},
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


def _told(capacity: DerivedCapacity) -> dict[str, str]:
    """Where a value comes from; the reason where there is one (missing, estimated, held back by a slot)."""
    reason = {"reason": capacity.reason} if capacity.reason else {}
    return {"source": capacity.source, "quality": capacity.quality, **reason}


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


def _store_links(node: Node, links: tuple[DerivedLink, ...]) -> None:
    """The node's connections as derived; rows are touched only where something differs."""
    wanted = {(link.kind, link.a, link.b): link.bandwidth.value for link in links}
    rows = node.links.values_list("kind", "a", "b", "capacity_bytes_per_s")
    if {(kind, a, b): capacity for kind, a, b, capacity in rows} == wanted:
        return
    node.links.all().delete()
    Link.objects.bulk_create(
        Link(node=node, kind=kind, a=a, b=b, capacity_bytes_per_s=capacity) for (kind, a, b), capacity in wanted.items()
    )
