"""Which connections carry traffic inside this machine, and how much of it?

PCIe uplinks carry what the slower side can; NVLink carries its links times their rate; between
NUMA nodes no file says a figure, so it is the slower pool's bandwidth by the firmware's distances:
an estimate, and called one. Nothing is made up: an unknown side leaves the value missing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from alldata.agent.wire import Capacity, Link, Register
from profiles.derive.capacities import slower
from profiles.derive.devices import derive, part_of
from profiles.derive.model import DerivedCapacity, DerivedDevice, DerivedLink
from profiles.dimensions import GIGA
from profiles.hkb.lookup import Knowledge, link_facts, published

LOCAL = 10  # the distance of a NUMA node to itself
UNKNOWN = DerivedCapacity(None, "sysfs", "missing", "link_speed_unknown")
#: compute capability (major) of cards -> generation of their NVLink
_NVLINK = {"6": "gen1", "7": "gen2", "8": "gen3", "9": "gen4", "10": "gen5"}


def link_graph(message: Register, knowledge: Knowledge | None = None) -> tuple[DerivedLink, ...]:
    """Every connection of the machine, sorted; the same message and knowledge give the same graph."""
    known = published() if knowledge is None else knowledge
    devices = {device.uuid: device for device in derive(message, known)}
    found = [*_reported(message, devices, known), *_between_nodes(message, devices)]
    once = {(link.kind, link.a, link.b): link for link in found}
    return tuple(once[key] for key in sorted(once))


def _reported(message: Register, devices: Mapping[str, DerivedDevice], known: Knowledge) -> Iterator[DerivedLink]:
    for link in message.links:
        if link.kind == "pcie":
            yield DerivedLink("pcie", link.a, link.b, _uplink(link, devices), link.attributes)
        elif link.kind == "nvlink":
            a, b = sorted((link.a, link.b))
            yield DerivedLink("nvlink", a, b, _nvlink(link, message, known), link.attributes)


def _told(link: Link, name: str) -> DerivedCapacity | None:
    told: Capacity | None = link.capacities.get(name)
    return None if told is None else DerivedCapacity(told.value, told.source, told.quality, told.reason)


def _uplink(link: Link, devices: Mapping[str, DerivedDevice]) -> DerivedCapacity:
    """The least of what the card, its link and the port above can do."""
    found = _told(link, "pcie_bandwidth") or UNKNOWN
    for uuid in (link.b, link.a):
        own = devices[uuid].capacities.get("pcie_bandwidth") if uuid in devices else None
        found = slower(found, own)
    return found


def _nvlink(link: Link, message: Register, known: Knowledge) -> DerivedCapacity:
    """As reported, else the number of links by the published rate of their generation, both directions."""
    told = _told(link, "nvlink_bandwidth")
    if told is not None and told.value is not None:
        return told
    count, rate = link.attributes.get("links"), _rate(link, message, known)
    if not isinstance(count, int) or rate is None:
        return told or replace(UNKNOWN, source="driver")
    return DerivedCapacity(
        int(count * 2 * rate * GIGA), "published", "estimated", f"{count} links of {rate:g} GB/s each way"
    )


def _rate(link: Link, message: Register, known: Knowledge) -> float | None:
    """GB/s of one link in one direction, by the older of the two cards."""
    rates = []
    for device in (d for d in message.devices if d.uuid in (link.a, link.b)):
        part = part_of(device, known)
        fact = part.facts.get("compute_capability") if part else None
        capability = device.attributes.get("compute_capability", fact.value if fact else None)
        generation = link_facts().get(("nvlink", _NVLINK.get(str(capability).split(".")[0], "")))
        if generation and (rate := generation["per_link"].number):
            rates.append(rate)
    return min(rates, default=None)


def _between_nodes(message: Register, devices: Mapping[str, DerivedDevice]) -> Iterator[DerivedLink]:
    """One link for each pair of NUMA nodes that have memory."""
    pools = {d.numa_node: d for d in devices.values() if d.type == "memory" and d.numa_node is not None}
    for node in message.numa:
        for other, distance in node.distances.items():
            here, there = pools.get(node.node), pools.get(int(other)) if other.isdecimal() else None
            if here is not None and there is not None and node.node < int(other):
                a, b = sorted((here.uuid, there.uuid))
                yield DerivedLink("numa", a, b, _across(here, there, distance), {"distance": distance})


def _across(here: DerivedDevice, there: DerivedDevice, distance: int) -> DerivedCapacity:
    sides = [pool.capacities.get("memory_bandwidth") for pool in (here, there)]
    values = [side.value for side in sides if side is not None and side.value is not None]
    if len(values) < 2 or distance < LOCAL:
        return DerivedCapacity(None, "sysfs", "missing", "pool_bandwidth_unknown")
    reason = f"the slower pool's bandwidth by distance {LOCAL}/{distance}"
    return DerivedCapacity(min(values) * LOCAL // distance, "estimated", "estimated", reason)
