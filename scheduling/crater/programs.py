"""What does one request ask of one class of nodes, as rows of integers?

A request is compiled once for each class: for every group of devices near enough to each
other (topology.py), every need with the devices that pass its rules, and for each of those the
columns it would take from. What a rule says about attributes or health is settled here; what
remains for the kernels is comparing integers.

`regular` is False where choosing devices one need after the other could miss a fit (two needs
of one type): such requests are searched by fit.py instead.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scheduling.crater.filters import holds, value_of
from scheduling.crater.fleet import CORES, GPU, LEVELS, NodeClass
from scheduling.crater.model import Device, Need, Request
from scheduling.crater.topology import groups
from scheduling.crater.vector import CORE, CPU, asked, ceil_div

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One device that could serve a need: `gpu` is its number among the GPUs or -1."""

    device: int
    gpu: int
    millicores: int
    takes: tuple[tuple[int, int, int], ...]  # (column, amount, capacity where the device's level follows it)


@dataclass(frozen=True, slots=True)
class Ask:
    """One need within one group."""

    need: int
    count: int
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """All needs within one group of devices; GPUs last, because their choice sees the cores left."""

    aligned: bool
    asks: tuple[Ask, ...]


def is_regular(request: Request) -> bool:
    """Needs of different types never compete, so a greedy choice for each type is exact."""
    types = [need.type for need in request.needs]
    return len(types) == len(set(types)) and bool(types)


def variants(request: Request, group_class: NodeClass) -> Iterator[Variant]:
    """The groups that could serve the request when empty, nearest first."""
    places = {device.uuid: i for i, device in enumerate(group_class.sample.devices)}
    for group in groups(group_class.sample, request):
        asks = []
        for index, need in enumerate(request.needs):
            slots = []
            for position in sorted(places[device.uuid] for device in group.devices):
                device = group_class.sample.devices[position]
                if could_serve(need, device):
                    slots.append(slot_of(group_class, position, asked(need, device)))
            asks.append(Ask(index, need.count, tuple(slots)))
        if all(len(ask.slots) >= ask.count for ask in asks):
            yield Variant(group.aligned, tuple(sorted(asks, key=lambda ask: request.needs[ask.need].type == GPU)))


def could_serve(need: Need, device: Device) -> bool:
    """Whether the device would do if nothing ran on it."""
    if device.type != need.type or not device.usable:
        return False
    if not all(holds(rule, value_of(device, rule.attribute)) for rule in need.constraints):
        return False
    amounts = asked(need, device)
    return all(
        name in device.capacity and 0 <= amount <= device.capacity[name] and device.capacity[name] + amount > 0
        for name, amount in amounts.items()
    )


def slot_of(group: NodeClass, position: int, amounts: Mapping[str, int]) -> Slot:
    """What taking the amounts from the device at a position means in columns."""
    device, gpus = group.sample.devices[position], group.gpus
    gpu = gpus.index(position) if position in gpus else -1
    columns = {name: column for column, (at, name) in enumerate(group.columns) if at == position}
    watched = device.capacity if gpu >= 0 else {}
    takes = [
        (columns[name], amounts.get(name, 0), watched.get(name, 0))
        for name in sorted({*amounts, *watched}, key=lambda name: (name not in amounts, name))
    ]
    if device.cpus:
        takes.append((columns[CORES], ceil_div(amounts.get(CPU, 0), CORE), 0))
    return Slot(position, gpu, amounts.get(CPU, 0), tuple(takes))


def level_asked(need: Need, device: Device) -> int:
    """How many of the device's 100 levels the need takes: its dominant share, rounded up."""
    amounts = asked(need, device)
    shares = (ceil_div(a * LEVELS, device.capacity[n]) for n, a in amounts.items() if device.capacity.get(n))
    return min(LEVELS, max(shares, default=0))
