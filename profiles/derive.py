"""Probe facts and published knowledge -> what each device can give, with source and quality.

Pure: the same message and the same knowledge give the same devices; `VERSION` counts changes
of the rules below. For each capability: measured on this node wins, then an operator's
override, then what the knowledge base publishes, then what driver or kernel estimate; else it
is missing, with the reason. Missing is never zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from alldata.agent.wire import Capacity, Device, Register
from profiles.dimensions import BY_NAME, PPM, Kind
from profiles.hkb.lookup import Fact, Knowledge, Part, normal, published

VERSION = 1
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
TENSOR_SINCE = 7  # compute capability with tensor cores


@dataclass(frozen=True, slots=True)
class DerivedCapacity:
    """One value in base units; None when nobody knows, with the reason."""

    value: int | None
    source: str
    quality: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class DerivedDevice:
    """One schedulable device. `model` is the vendor-neutral key; the product name is an attribute."""

    uuid: str
    type: str
    name: str
    numa_node: int | None
    parent: str | None
    vendor: str
    model: str
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    capacities: Mapping[str, DerivedCapacity] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    healthy: bool = True
    degraded_reason: str | None = None


def derive(message: Register, knowledge: Knowledge | None = None) -> tuple[DerivedDevice, ...]:
    """Every device of the machine, in the order of the message."""
    known = published() if knowledge is None else knowledge
    return tuple(_device(device, message, known) for device in message.devices)


def _device(device: Device, message: Register, known: Knowledge) -> DerivedDevice:
    part = known.find(device.type, device.model)
    facts = dict(part.facts) if part else {}
    if device.type == "memory":
        facts |= _pool_bandwidth(device, message, known)
    capacities = _capacities(device, facts)
    return DerivedDevice(
        uuid=device.uuid,
        type=device.type,
        name=device.name,
        numa_node=device.numa_node,
        parent=device.parent,
        vendor=_vendor(device, part),
        model=part.model if part else normal(device.model or ""),
        attributes=_attributes(device, facts),
        capacities=capacities,
        cpus=_cpus(device, message),
        healthy=device.health == "ok",
        degraded_reason=device.degraded_reason,
    )


def _vendor(device: Device, part: Part | None) -> str:
    vendor = (device.vendor or "").casefold()
    return part.vendor if part else _VENDORS.get(vendor, vendor)


def _capacities(device: Device, facts: Mapping[str, Fact]) -> dict[str, DerivedCapacity]:
    """Reported values where they are measured, published ones where they are not."""
    found: dict[str, DerivedCapacity] = {}
    for name, reported in device.capacities.items():
        dimension = BY_NAME.get(name)
        if dimension is not None and dimension.kind is Kind.ADDITIVE:
            found[name] = _best(reported, facts.get(name))
    for name, fact in facts.items():
        if name not in found and device.type in BY_NAME[name].device_types and BY_NAME[name].kind is Kind.ADDITIVE:
            found[name] = _from_fact(fact)
    if device.type == "gpu" and _has_tensor_cores(device, facts) and found.get("gpu_sm"):
        found.setdefault("gpu_tensor", DerivedCapacity(PPM, "published", "proxy"))
    return found


def _best(reported: Capacity, fact: Fact | None) -> DerivedCapacity:
    own = DerivedCapacity(reported.value, reported.source, reported.quality, reported.reason)
    if fact is None or (reported.quality == "measured" and fact.grade != "overridden"):
        return own
    return _from_fact(fact)


def _from_fact(fact: Fact) -> DerivedCapacity:
    return DerivedCapacity(int(fact.value), fact.source, fact.quality)


def _has_tensor_cores(device: Device, facts: Mapping[str, Fact]) -> bool:
    told = device.attributes.get("compute_capability")
    text = str(
        told if told is not None else facts["compute_capability"].value if "compute_capability" in facts else "0"
    )
    return text.split(".")[0].isdecimal() and int(text.split(".")[0]) >= TENSOR_SINCE


def _pool_bandwidth(device: Device, message: Register, known: Knowledge) -> dict[str, Fact]:
    """A socket's published bandwidth, by the share of its cores that sit on this NUMA node."""
    cores = next((d for d in message.devices if d.type == "cpu" and d.numa_node == device.numa_node), None)
    part = known.find("cpu", cores.model) if cores else None
    if cores is None or part is None or "memory_bandwidth" not in part.facts or "cores" not in part.facts:
        return {}
    fact, whole = part.facts["memory_bandwidth"], int(part.facts["cores"].value)
    here = cores.attributes.get("cores")
    if not isinstance(here, int) or here <= 0:
        return {}
    share = int(fact.value) * min(here, whole) // whole
    # Which memory channels are filled is not known, so the result is an estimate at best.
    grade = fact.grade if fact.grade == "overridden" else "derived"
    return {"memory_bandwidth": Fact(share, grade, fact.origin)}


def _attributes(device: Device, facts: Mapping[str, Fact]) -> dict[str, str | int | float | bool]:
    """What constraints may ask about: what the probe saw, completed from published limits."""
    limits = {
        name: fact.value
        for name, fact in facts.items()
        if BY_NAME[name].kind is not Kind.ADDITIVE and device.type in BY_NAME[name].device_types
    }
    product = {"product": device.model} if device.model else {}
    return {**limits, **product, **device.attributes}


def _cpus(device: Device, message: Register) -> tuple[int, ...]:
    if device.type != "cpu":
        return ()
    return next((node.cpus for node in message.numa if node.node == device.numa_node), ())
