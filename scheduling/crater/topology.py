"""Which devices of a node may serve one job together?

A group is a set of devices under one subtree: a NUMA node, a PCIe root, an NVLink island or
the machine. A device whose NUMA node is unknown (virtual disks and networks) joins every
group. Cores and memory join a PCIe root through the NUMA node of its devices.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from scheduling.crater.model import Device, Node, Request


@dataclass(frozen=True, slots=True)
class Group:
    """Devices that are near enough to each other; `aligned` is False for the fallback to the whole node."""

    devices: tuple[Device, ...]
    aligned: bool = True


def groups(node: Node, request: Request) -> tuple[Group, ...]:
    """The groups to search, nearest first; the whole node last, where crossing is allowed."""
    devices = tuple(sorted(node.devices, key=lambda device: device.uuid))
    aligned = tuple(Group(members) for members in _subtrees(devices, request.same))
    if request.allow_cross_numa and request.same != "node":
        return (*aligned, Group(devices, aligned=False))
    return aligned


def _subtrees(devices: tuple[Device, ...], same: str) -> list[tuple[Device, ...]]:
    if same == "numa":
        return _by_numa(devices)
    if same == "pcie_root":
        return _by_root(devices)
    if same == "nvlink_island":
        return _by_island(devices)
    return [devices]


def _by_numa(devices: tuple[Device, ...]) -> list[tuple[Device, ...]]:
    numbers = sorted({d.numa_node for d in devices if d.numa_node is not None})
    if not numbers:
        return [devices]
    return [tuple(d for d in devices if d.numa_node in (None, number)) for number in numbers]


def _by_root(devices: tuple[Device, ...]) -> list[tuple[Device, ...]]:
    by_uuid = {device.uuid: device for device in devices}
    roots = {device.uuid: root_of(device, by_uuid) for device in devices}
    found = []
    for root in sorted({root for device, root in roots.items() if root != device}):
        members = [d for d in devices if roots[d.uuid] == root]
        near = {d.numa_node for d in members} | {None}
        loose = [d for d in devices if d.parent is None and d.uuid != root and d.numa_node in near]
        found.append(tuple(sorted([*members, *loose], key=lambda d: d.uuid)))
    return found


def _by_island(devices: tuple[Device, ...]) -> list[tuple[Device, ...]]:
    islands = sorted({str(d.attributes["nvlink_island"]) for d in devices if "nvlink_island" in d.attributes})
    return [
        tuple(d for d in devices if d.type != "gpu" or str(d.attributes.get("nvlink_island")) == island)
        for island in islands
    ]


def root_of(device: Device, by_uuid: Mapping[str, Device]) -> str:
    """The topmost ancestor that is known (the device itself when it has none)."""
    seen: set[str] = set()
    current = device
    while current.parent is not None and current.uuid not in seen:
        seen.add(current.uuid)
        above = by_uuid.get(current.parent)
        if above is None:
            return current.parent
        current = above
    return current.uuid
