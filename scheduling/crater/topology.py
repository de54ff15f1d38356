"""Which devices of a node may serve one job together?

A group is a set of devices under one subtree: a NUMA node, a PCIe root, an NVLink island or
the machine. A device whose NUMA node is unknown (virtual disks and networks) joins every
group. Cores and memory join a PCIe root or an island through the NUMA nodes of its devices.
Several GPUs of one job are looked for inside one NVLink island first (islands.py). A component with
a wish of its own has its own subtree, chosen together with all others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice, product

from scheduling.crater.islands import APART, Members, by_island, islands_within
from scheduling.crater.model import Device, Near, Node, Request
from scheduling.crater.paths import LINK, Ways, ways
from scheduling.crater.worth import MICRO

CROSSING = 4 * MICRO  # what crossing a NUMA node costs: four GPUs' worth
MOST_GROUPS = 256  # choices of subtrees that are looked at when components choose their own
Choice = tuple[int, Members]  # penalty in micro-GPU, devices


@dataclass(frozen=True, slots=True)
class Group:
    """Devices that are near enough to each other; a penalty where nearer ones may exist.

    `own` holds the devices for the needs (by position) of components with a subtree of their own.
    """

    devices: Members
    penalty: int = 0
    own: Mapping[int, Members] = field(default_factory=dict)
    ways: Ways = field(default_factory=dict)

    @property
    def aligned(self) -> bool:
        return self.penalty < CROSSING

    def members(self, need: int) -> Members:
        """The devices among which this need may choose."""
        return self.own.get(need, self.devices)


def groups(node: Node, request: Request) -> tuple[Group, ...]:
    """The groups to search, nearest first; the whole node last, where crossing is allowed."""
    devices = tuple(sorted(node.devices, key=lambda device: device.uuid))
    above = ways(devices)
    main = _choices(devices, Near("", request.same, request.allow_cross_numa), _gpus(request, request.near))
    if not request.near:
        return tuple(Group(members, penalty, ways=above) for penalty, members in main)
    return _with_components(devices, request, main, above)


def whole(node: Node) -> Group:
    """All devices of the node."""
    return Group(node.devices, ways=ways(node.devices))


def _with_components(devices: Members, request: Request, main: Iterable[Choice], above: Ways) -> tuple[Group, ...]:
    """Every choice of a subtree for each component and for the rest, cheapest first."""
    stated = {wish.component: wish for wish in request.near}
    present = sorted({need.component for need in request.needs} & stated.keys())
    each = [_choices(devices, stated[name], _gpus(request, (stated[name],), is_own=True)) for name in present]
    found = []
    for first, *others in islice(product(main, *each), MOST_GROUPS):
        chosen = dict(zip(present, others, strict=True))
        own = {i: chosen[n.component][1] for i, n in enumerate(request.needs) if n.component in chosen}
        found.append(Group(first[1], max(choice[0] for choice in (first, *others)), own, above))
    return tuple(sorted(found, key=lambda group: group.penalty))


def _gpus(request: Request, near: Iterable[Near], *, is_own: bool = False) -> int:
    """How many GPUs are asked for by the named components, or by all others."""
    named = {wish.component for wish in near}
    return sum(n.count for n in request.needs if n.type == "gpu" and (n.component in named) == is_own)


def _choices(devices: Members, near: Near, gpus: int) -> list[Choice]:
    plain = _subtrees(devices, near.same)
    if near.same == "nvlink_island":
        found = [choice for members in plain for choice in _on_one_node(members)]
    else:
        found = islands_within(plain) if gpus > 1 else [(0, members) for members in plain]
    if near.allow_cross_numa and near.same != "node":
        found.append((CROSSING, devices))
    return sorted(found, key=lambda choice: choice[0])


def _on_one_node(island: Members) -> list[Choice]:
    """An island that spans NUMA nodes: its parts first."""
    parts = by_numa(island)
    return [(0, part) for part in parts] + ([(APART, island)] if len(parts) > 1 else [])


def _subtrees(devices: Members, same: str) -> list[Members]:
    if same == "numa":
        return by_numa(devices)
    if same == "pcie_root":
        return _by_root(devices)
    if same == "nvlink_island":
        return by_island(devices)
    return [devices]


def by_numa(devices: Members) -> list[Members]:
    """One group a NUMA node; the whole where no node is known."""
    numbers = sorted({d.numa_node for d in devices if d.numa_node is not None})
    if not numbers:
        return [devices]
    return [tuple(d for d in devices if d.numa_node in (None, number)) for number in numbers]


def _by_root(devices: Members) -> list[Members]:
    by_uuid = {device.uuid: device for device in devices}
    roots = {device.uuid: root_of(device, by_uuid) for device in devices}
    found = []
    for root in sorted({root for device, root in roots.items() if root != device}):
        members = [d for d in devices if roots[d.uuid] == root]
        near = {d.numa_node for d in members} | {None}
        loose = [d for d in devices if d.parent is None and d.uuid != root and d.type != LINK and d.numa_node in near]
        found.append(tuple(sorted([*members, *loose], key=lambda d: d.uuid)))
    return found


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
