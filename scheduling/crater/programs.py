"""What does one request ask of one class of nodes, as rows of integers?

A request is compiled once for each class: for every group of devices near enough to each
other (topology.py), every need with the devices that pass its rules, and for each of those the
columns it would take from. What a rule says about attributes or health is settled here; what
remains for the kernels is comparing integers.

Picks that load the same link compete for it: then the kernels book what each puts there before the
next is chosen, and every choice of drives and network cards is tried with it. `is_regular` is False where
choosing devices one need after the other could still miss a fit (two needs of one type, GPUs that load
one link unequally, too many choices): such requests are searched by fit.py instead.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import comb, prod

from scheduling.crater.filters import holds, value_of
from scheduling.crater.fleet import CORES, GPU, LEVELS, NodeClass
from scheduling.crater.kernels import ON_LINK
from scheduling.crater.model import Device, Need, Request
from scheduling.crater.paths import CARRIED, LINK, Ways, sent
from scheduling.crater.topology import groups
from scheduling.crater.vector import CORE, CPU, MEMORY, asked, ceil_div, names_cores

MOST_TYPES = 6  # device types of one request: each has a bit in near.py
MOST_CHOICES = 64  # of drives, network cards and links within one group of devices


@dataclass(frozen=True, slots=True)
class Slot:
    """One device that could serve a need: `gpu` is its number among the GPUs or -1."""

    device: int
    gpu: int
    millicores: int
    bytes: int  # of memory
    takes: tuple[tuple[int, int, int], ...]  # (column, amount, capacity where the device's level follows it or ON_LINK)

    @property
    def loads(self) -> dict[int, int]:
        """Columns of links -> what is put on them."""
        return {column: amount for column, amount, capacity in self.takes if capacity == ON_LINK}


@dataclass(frozen=True, slots=True)
class Ask:
    """One need within one group."""

    need: int
    count: int
    slots: tuple[Slot, ...]

    @property
    def is_gpu(self) -> bool:
        return any(slot.gpu >= 0 for slot in self.slots)


@dataclass(frozen=True, slots=True)
class Variant:
    """All needs within one group of devices; GPUs last, because their choice sees the cores left."""

    penalty: int
    asks: tuple[Ask, ...]
    is_shared: bool = False  # two picks may load one link


def is_regular(request: Request, classes: Sequence[NodeClass]) -> bool:
    """Whether needs compete for nothing but links, and that in ways that a greedy choice settles exactly."""
    types = [need.type for need in request.needs]
    if len(types) != len(set(types)) or not 0 < len(types) <= MOST_TYPES:
        return False
    linked = [group for group in classes if group.has_links]
    return all(_is_greedy(variant) for group in linked for variant in _plain(request, group))


def _is_greedy(variant: Variant) -> bool:
    """GPUs that load links equally may be taken in any order (what fits is a matroid); all else is tried out."""
    cards = [ask for ask in variant.asks if ask.is_gpu and ask.count > 1]
    uneven = any(len({amount for slot in ask.slots for amount in slot.loads.values()}) > 1 for ask in cards)
    return not variant.is_shared or (not uneven and _choices(variant) <= MOST_CHOICES)


def _choices(variant: Variant) -> int:
    return prod(comb(len(ask.slots), ask.count) for ask in variant.asks if _is_tried(ask))


def _is_tried(ask: Ask) -> bool:
    """Which of its devices it takes may decide whether the rest fits."""
    return not ask.is_gpu and len(ask.slots) > ask.count and any(slot.loads for slot in ask.slots)


def variants(request: Request, group_class: NodeClass) -> Iterator[Variant]:
    """The groups that could serve the request when empty, nearest first; the tightest choice of drives first."""
    for variant in _plain(request, group_class):
        yield variant
        if variant.is_shared and 1 < _choices(variant) <= MOST_CHOICES:
            tried = [list(combinations(a.slots, a.count)) if _is_tried(a) else [a.slots] for a in variant.asks]
            for slots in product(*tried):
                asks = tuple(replace(ask, slots=some) for ask, some in zip(variant.asks, slots, strict=True))
                yield replace(variant, asks=asks)


def _plain(request: Request, group_class: NodeClass) -> Iterator[Variant]:
    places = {device.uuid: i for i, device in enumerate(group_class.sample.devices)}
    for group in groups(group_class.sample, request):
        asks = [
            Ask(index, need.count, tuple(_slots(need, group.members(index), (group_class, group.ways, places))))
            for index, need in enumerate(request.needs)
        ]
        if all(len(ask.slots) >= ask.count for ask in asks):
            asks.sort(key=lambda ask: request.needs[ask.need].type == GPU)
            yield Variant(group.penalty, tuple(asks), _is_shared(asks))


def _slots(need: Need, members: Sequence[Device], tree: tuple[NodeClass, Ways, Mapping[str, int]]) -> Iterator[Slot]:
    group, above, places = tree
    for position, device in sorted((places[device.uuid], device) for device in members if device.type == need.type):
        links = above.get(device.uuid, ())
        if could_serve(need, device, links):
            columns = [group.columns.index((places[link.uuid], CARRIED)) for link in links]
            yield slot_of(group, position, asked(need, device), columns)


def _is_shared(asks: Sequence[Ask]) -> bool:
    most = Counter[int]()
    for ask in asks:
        users = Counter(column for slot in ask.slots for column in slot.loads)
        most.update({column: min(ask.count, number) for column, number in users.items()})
    return any(number > 1 for number in most.values())


def could_serve(need: Need, device: Device, above: Sequence[Device] = ()) -> bool:
    """Whether the device would do if nothing ran on it, nor on the links above it."""
    if device.type != need.type or not device.usable:
        return False
    if not all(holds(rule, value_of(device, rule.attribute)) for rule in need.constraints):
        return False
    amounts = asked(need, device)
    load = sent(device.type, amounts)
    if load and not all(link.usable and load <= link.capacity[CARRIED] for link in above):
        return False
    return all(
        name in device.capacity and 0 <= amount <= device.capacity[name] and device.capacity[name] + amount > 0
        for name, amount in amounts.items()
    )


def slot_of(group: NodeClass, position: int, amounts: Mapping[str, int], above: Sequence[int] = ()) -> Slot:
    """What taking the amounts from the device at a position means in columns; `above`: those of the links above it."""
    device, gpus = group.sample.devices[position], group.gpus
    gpu = gpus.index(position) if position in gpus else -1
    columns = {name: column for column, (at, name) in enumerate(group.columns) if at == position}
    watched = device.capacity if gpu >= 0 else dict.fromkeys([CARRIED], ON_LINK) if device.type == LINK else {}
    takes = [
        (columns[name], amounts.get(name, 0), watched.get(name, 0))
        for name in sorted({*amounts, *watched} & columns.keys(), key=lambda name: (name not in amounts, name))
    ]
    if names_cores(device):
        takes.append((columns[CORES], ceil_div(amounts.get(CPU, 0), CORE), 0))
    load = sent(device.type, amounts)
    takes += [(column, load, ON_LINK) for column in above if load]
    return Slot(position, gpu, amounts.get(CPU, 0), amounts.get(MEMORY, 0), tuple(takes))


def level_asked(need: Need, device: Device) -> int:
    """How many of the device's 100 levels the need takes: its dominant share, rounded up."""
    amounts = asked(need, device)
    shares = (ceil_div(a * LEVELS, device.capacity[n]) for n, a in amounts.items() if device.capacity.get(n))
    return min(LEVELS, max(shares, default=0))
