"""Which value of one capability is to be believed?

An operator's override wins, then what was measured on this node, then what the knowledge base
publishes, then what driver or kernel reckon, then an estimate from the class of the part; else
it is missing, with the reason. Missing is never zero. Below the driver a card needs, its
bandwidths are missing whatever anybody publishes: they could not be watched.
"""

from collections.abc import Mapping

from alldata.agent.wire import Capacity, Device
from profiles.derive.model import DerivedCapacity
from profiles.dimensions import BY_NAME, PPM, Kind
from profiles.hkb.advice import version
from profiles.hkb.parts import Fact, Part

TENSOR_SINCE = 7  # compute capability with tensor cores
#: One card's floors where the knowledge base names none, by maker: first drivers with the readings we need.
FLOORS: Mapping[str, str] = {"nvidia": "470.82.01"}
SPLIT = "split_into_mig_devices"
HELD_BY_PARTS = ("gpu_sm", "gpu_tensor", "gpu_memory_bytes", "hbm_bandwidth")
WATCHED = ("hbm_bandwidth", "nvlink_bandwidth", "pcie_bandwidth")

Capacities = dict[str, DerivedCapacity]


def capacities(device: Device, facts: Mapping[str, Fact]) -> Capacities:
    """Every additive dimension that the device reports or that its part is known for."""
    found: Capacities = {}
    for name, reported in device.capacities.items():
        if name in BY_NAME and BY_NAME[name].kind is Kind.ADDITIVE:
            found[name] = _best(reported, facts.get(name))
    for name, fact in facts.items():
        fits = device.type in BY_NAME[name].device_types and BY_NAME[name].kind is Kind.ADDITIVE
        if fits and name not in found and fact.value is not None:
            found[name] = _from_fact(fact)
    if device.type == "gpu" and _has_tensor_cores(device, facts) and found.get("gpu_sm"):
        found.setdefault("gpu_tensor", DerivedCapacity(PPM, "published", "proxy"))
    return found


def _best(reported: Capacity, fact: Fact | None) -> DerivedCapacity:
    own = DerivedCapacity(reported.value, reported.source, reported.quality, reported.reason)
    if fact is None or fact.value is None:
        return own
    if fact.grade == "class":
        return own if own.value is not None else _from_fact(fact)
    if reported.quality == "measured" and fact.grade != "overridden":
        return own
    return _from_fact(fact)


def _from_fact(fact: Fact) -> DerivedCapacity:
    assert isinstance(fact.value, int | float)
    reason = f"estimated_from_class: {fact.origin}" if fact.grade == "class" else None
    return DerivedCapacity(int(fact.value), fact.source, fact.quality, reason)


def _has_tensor_cores(device: Device, facts: Mapping[str, Fact]) -> bool:
    told = device.attributes.get("compute_capability")
    if told is None and "compute_capability" in facts:
        told = str(facts["compute_capability"].value)
    major = str(told).split(".")[0]
    return major.isdecimal() and int(major) >= TENSOR_SINCE


def as_found(device: Device, found: Capacities) -> Capacities:
    """What is published of a sound card is no capacity of this one: it is split, or its health says why not."""
    if device.attributes.get("mig_devices"):
        gap = DerivedCapacity(None, "driver", "missing", SPLIT)  # the parts are devices of their own
        return {name: gap if name in HELD_BY_PARTS else value for name, value in found.items()}
    if device.health == "ok":
        return found
    told = {name for name, own in device.capacities.items() if own.value is not None}
    gap = DerivedCapacity(None, "driver", "missing", device.degraded_reason or device.health)
    return {name: gap if name in WATCHED and name not in told else value for name, value in found.items()}


def driver_shortfall(device: Device, vendor: str, part: Part | None) -> str | None:
    """`driver_below_510.47.03` when the driver cannot give the readings that this card needs."""
    have = device.attributes.get("driver_version")
    floor = (part.detail("driver_floor") if part else "") or FLOORS.get(vendor, "")
    if device.type != "gpu" or not floor or not isinstance(have, str) or not version(have):
        return None
    return f"driver_below_{floor}" if version(have) < version(floor) else None


def unwatched(found: Capacities, reason: str) -> Capacities:
    """The same without bandwidths: nobody could say how much of them is in use."""
    gone = DerivedCapacity(None, "driver", "missing", reason)
    return {name: gone if name in WATCHED else value for name, value in found.items()}


def slower(card: DerivedCapacity, slot: DerivedCapacity | None) -> DerivedCapacity:
    """What both sides of a connection can do; an unknown side limits nothing."""
    if slot is None or slot.value is None or card.value is None or slot.value >= card.value:
        return card if card.value is not None or slot is None else slot
    reason = f"the slot carries {slot.value} of the card's {card.value} bytes/s"
    return DerivedCapacity(slot.value, slot.source, slot.quality, reason)
