"""What can each device of this machine give?"""

from collections.abc import Mapping
from dataclasses import replace

from alldata.agent.wire import Device, Register
from profiles.derive.capacities import Capacities, as_found, capacities, driver_shortfall, slower, unwatched
from profiles.derive.islands import ISLAND, islands
from profiles.derive.model import DerivedCapacity, DerivedDevice
from profiles.dimensions import BY_NAME, Kind
from profiles.hkb.estimate import card_bandwidth, socket_bandwidth
from profiles.hkb.lookup import Knowledge, normal, published
from profiles.hkb.parts import Fact, Part

#: What processors and PCI devices call their makers.
_VENDORS = {
    "genuineintel": "intel",
    "authenticamd": "amd",
    "hygongenuine": "hygon",
    "nvidia corporation": "nvidia",
    "0x10de": "nvidia",
    "0x1002": "amd",
    "0x1022": "amd",
    "0x8086": "intel",
    "0x144d": "samsung",
    "0x1344": "micron",
    "0x15b3": "mellanox",
    "0x1af4": "virtio",
}
_OVER_PCIE = {"gpu": "pcie_bandwidth", "storage": "storage_bandwidth"}
MIG_SLICES = 8  # a card's memory is cut into eighths, of which one instance has some


def derive(message: Register, knowledge: Knowledge | None = None) -> tuple[DerivedDevice, ...]:
    """Every device of the machine, in the order of the message."""
    known = published() if knowledge is None else knowledge
    joined = islands(message)
    return tuple(_placed(_device(device, message, known), joined) for device in message.devices)


def _placed(device: DerivedDevice, joined: Mapping[str, str]) -> DerivedDevice:
    """A card with its NVLink island, and whether parts of it may go to different jobs.

    Nothing that agents report keeps two jobs on one card apart (a MIG device is a card of its own here), so
    only who describes a machine by hand can say that something does: `isolation: mps`.
    """
    if device.type != "gpu":
        return device
    island = {ISLAND: joined[device.uuid]} if device.uuid in joined else {}
    return replace(device, attributes={"isolation": "none", **island, **device.attributes})


def part_of(device: Device, known: Knowledge) -> Part | None:
    """The known part that a reported device is: by product name, else PCI id, else name and memory size."""
    memory, identity = device.capacities.get("gpu_memory_bytes"), device.attributes.get("pci_id")
    return known.find(device.type, device.model, str(identity or ""), memory.value if memory else None)


def _device(device: Device, message: Register, known: Knowledge) -> DerivedDevice:
    part = part_of(device, known)
    vendor = _vendor(device, part)
    facts = _facts(device, message, known, part)
    found = _in_its_slot(device, message, as_found(device, capacities(device, facts)))
    shortfall = driver_shortfall(device, vendor, part)
    return DerivedDevice(
        uuid=device.uuid,
        type=device.type,
        name=device.name,
        numa_node=device.numa_node,
        parent=device.parent,
        vendor=vendor,
        model=part.model if part else normal(device.model or ""),
        attributes=_attributes(device, facts),
        capacities=unwatched(found, shortfall) if shortfall else found,
        cpus=_cpus(device, message),
        healthy=device.health == "ok" and shortfall is None,
        degraded_reason=device.degraded_reason or shortfall,
    )


def _vendor(device: Device, part: Part | None) -> str:
    vendor = (device.vendor or "").casefold()
    return part.vendor if part else _VENDORS.get(vendor, vendor)


def _facts(device: Device, message: Register, known: Knowledge, part: Part | None) -> dict[str, Fact]:
    """What is known of the part, or else of its class."""
    facts = dict(part.facts) if part else {}
    if device.type == "memory":
        facts |= _pool_bandwidth(device, message, known)
    if device.type == "gpu":
        # A bridge between two cards is bought apart: what it would carry is no capacity until links are seen.
        if "bridge" in (link.how if (link := facts.get("nvlink_bandwidth")) else ""):
            del facts["nvlink_bandwidth"]
        facts = _of_instance(device, facts)
        if part is None and (estimate := _card_estimate(device, known)):
            facts["hbm_bandwidth"] = estimate
    return facts


def _of_instance(device: Device, facts: dict[str, Fact]) -> dict[str, Fact]:
    """A MIG instance has its share of the card's memory and of the way to it, not all of it."""
    memory, whole = device.capacities.get("gpu_memory_bytes"), facts.get("gpu_memory_bytes")
    if " MIG " not in (device.model or "") or "hbm_bandwidth" not in facts:
        return facts
    if not memory or not memory.value or not whole or not whole.number:
        return {name: fact for name, fact in facts.items() if name not in ("hbm_bandwidth", "nvlink_bandwidth")}
    slices = max(1, round(memory.value / whole.number * MIG_SLICES))
    share = int((facts["hbm_bandwidth"].number or 0) * slices) // MIG_SLICES
    return {"hbm_bandwidth": Fact(share, "derived", facts["hbm_bandwidth"].origin)}


def _card_estimate(device: Device, known: Knowledge) -> Fact | None:
    memory, generation = device.capacities.get("gpu_memory_bytes"), device.attributes.get("compute_capability")
    return card_bandwidth(known, _vendor(device, None), str(generation), memory.value if memory else None)


def _pool_bandwidth(device: Device, message: Register, known: Knowledge) -> dict[str, Fact]:
    """A socket's published bandwidth, by the share of its cores that sit on this NUMA node."""
    cores = next((d for d in message.devices if d.type == "cpu" and d.numa_node == device.numa_node), None)
    here = cores.attributes.get("cores") if cores else None
    if cores is None or not isinstance(here, int) or here <= 0:
        return {}
    part = part_of(cores, known)
    if part is None:
        estimate = socket_bandwidth(known, _vendor(cores, None), cores.model, here)
        return {"memory_bandwidth": estimate} if estimate else {}
    fact, whole = part.facts.get("memory_bandwidth"), part.number("cores")
    if fact is None or fact.number is None or not whole:
        return {}
    share = int(fact.number) * min(here, int(whole)) // int(whole)
    # Which memory channels are filled is not known, so the result is an estimate at best.
    return {"memory_bandwidth": Fact(share, fact.grade if fact.grade == "overridden" else "derived", fact.origin)}


def _in_its_slot(device: Device, message: Register, found: Capacities) -> Capacities:
    """A card gives over PCIe what card and slot both can: a Gen4 card or drive in a Gen3 slot is a Gen3 one."""
    link = next((link for link in message.links if link.kind == "pcie" and link.b == device.uuid), None)
    name = _OVER_PCIE.get(device.type)
    if link is None or name is None or name not in found or (name == "storage_bandwidth" and found[name].value is None):
        return found
    port = next((d for d in message.devices if d.uuid == link.a), None)
    own = found[name]
    for side in (link.capacities, port.capacities if port else {}):
        told = side.get("pcie_bandwidth")
        if told is not None:
            own = slower(own, DerivedCapacity(told.value, told.source, told.quality, told.reason))
    return found | {name: own}


def _attributes(device: Device, facts: Mapping[str, Fact]) -> dict[str, str | int | float | bool]:
    """What constraints may ask about: what the probe saw, completed from published limits."""
    limits = {
        name: fact.value
        for name, fact in facts.items()
        if fact.value is not None
        and BY_NAME[name].kind is not Kind.ADDITIVE
        and device.type in BY_NAME[name].device_types
    }
    product = {"product": device.model} if device.model else {}
    return {**limits, **product, **device.attributes}


def _cpus(device: Device, message: Register) -> tuple[int, ...]:
    if device.type != "cpu":
        return ()
    return next((node.cpus for node in message.numa if node.node == device.numa_node), ())
