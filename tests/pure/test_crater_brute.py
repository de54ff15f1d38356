"""On small clusters every possibility can be tried: the planner finds a place exactly where there is one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product

from hypothesis import given, settings

from scheduling.crater.filters import passes
from scheduling.crater.model import Device, Node, Request, Snapshot
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import SENT
from scheduling.crater.planner import Planner
from scheduling.crater.topology import Group, groups
from scheduling.crater.vector import CORE, CPU, asked, ceil_div
from tests.pure.crater_cases import snapshots
from tests.pure.crater_trees import trees

few = settings(max_examples=80, deadline=None)


def fits_somewhere(request: Request, nodes: Sequence[Node]) -> bool:
    """Try every choice of devices on every usable node."""
    return any(
        together(request, choice, node)
        for node in nodes
        if node.usable
        for group in groups(node, request)
        for choice in choices(request, group)
        if not request.is_spread or is_spread(choice)
    )


def choices(request: Request, group: Group) -> Iterable[tuple[tuple[Device, ...], ...]]:
    found = []
    for index, need in enumerate(request.needs):
        members = group.members(index)
        state = Occupancy(members)
        fitting = [d for d in members if d.type == need.type and passes(need, d, state)]
        found.append(combinations(fitting, need.count))
    return product(*found)


def is_spread(choice: tuple[tuple[Device, ...], ...]) -> bool:
    used = [device.uuid for devices in choice for device in devices]
    return len(used) == len(set(used))


def together(request: Request, choice: tuple[tuple[Device, ...], ...], node: Node) -> bool:
    """Whether all needs fit on the chosen devices at once, and their traffic on the links above."""
    taken: Counter[tuple[str, str]] = Counter()
    free = {(d.uuid, name): amount for d in node.devices for name, amount in d.free.items()}
    free |= {(d.uuid, "cores"): len(d.cpus) for d in node.devices}
    for need, devices in zip(request.needs, choice, strict=True):
        for device in devices:
            amounts = asked(need, device)
            cpus = {"cores": ceil_div(amounts.get(CPU, 0), CORE)} if device.cpus else {}
            taken.update({(device.uuid, name): amount for name, amount in {**amounts, **cpus}.items()})
            sent = amounts.get(SENT.get(device.type, ""), 0)
            taken.update({(link, "pcie_bandwidth"): sent for link in links_above(device, node)})
    return all(amount <= free.get(key, 0) for key, amount in taken.items())


def links_above(device: Device, node: Node) -> list[str]:
    by_uuid = {d.uuid: d for d in node.devices}
    found = list[str]()
    while device.parent in by_uuid:
        device = by_uuid[device.parent]
        found += [device.uuid] if device.type == "link" else []
    return found


@few
@given(snapshots() | trees())
def test_a_job_is_placed_exactly_when_some_choice_of_devices_fits(snapshot: Snapshot) -> None:
    for request in snapshot.queue:
        planner = Planner(snapshot, fast=False)
        assert (planner.place(request) is not None) == fits_somewhere(request, snapshot.nodes)


@few
@given(snapshots() | trees())
def test_removing_load_never_makes_a_placed_job_infeasible(snapshot: Snapshot) -> None:
    lighter = replace(snapshot, nodes=tuple(unloaded(node) for node in snapshot.nodes))
    for request in snapshot.queue:
        if Planner(snapshot, fast=False).place(request) is not None:
            assert Planner(lighter, fast=False).place(request) is not None


def unloaded(node: Node) -> Node:
    """The node with nothing running; pinned cores stay as many as are free."""
    devices = tuple(replace(d, free=d.capacity, cpus=tuple(range(cores(d))) if d.cpus else ()) for d in node.devices)
    return replace(node, devices=devices)


def cores(device: Device) -> int:
    return device.capacity.get(CPU, 0) // CORE


@few
@given(snapshots() | trees())
def test_new_names_never_change_where_a_job_goes(snapshot: Snapshot) -> None:
    """Names break ties, so the new names keep the order of the old."""
    renamed = replace(snapshot, nodes=tuple(replace(n, name=f"other-{n.name}") for n in snapshot.nodes))
    for request in snapshot.queue:
        one, other = Planner(snapshot, fast=False).place(request), Planner(renamed, fast=False).place(request)
        assert (one and f"other-{one.node}") == (other and other.node)
        assert (one and one.picks) == (other and other.picks)
