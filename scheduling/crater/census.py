"""Which devices of a class could ever serve each need of a request, and which rules keep out the others?

What is counted here once for a class, near.py adds up for all its nodes: devices that no load
changes by their rules, all others by what they lack now. A device is counted once for each rule
that it or a link above it breaks, as explain.py counts it.
"""

from collections import Counter
from dataclasses import dataclass

from scheduling.crater.filters import failures
from scheduling.crater.fleet import NodeClass
from scheduling.crater.model import Device, Need, Request
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import CARRIED, Ways, sent, ways
from scheduling.crater.programs import Ask, Slot, slot_of
from scheduling.crater.vector import asked, isolates, wanted

#: The rules that no load changes, in the order of a Count.
FOR_EVER = ("unusable", "constraint", "capacity")
WIDTH = 16  # bits of one rule in a packed Count


@dataclass(frozen=True, slots=True)
class Count:
    """One need and all devices of its type, those first that an empty node could give."""

    ask: Ask
    fine: int
    rules: tuple[int, ...]  # devices that each rule of FOR_EVER turns down
    enough: tuple[tuple[int, ...], ...]  # by slot and take: what would do, could the card be shared; -1: it can

    @property
    def packed(self) -> int:
        """The rules' devices as one integer."""
        return sum(devices << WIDTH * at for at, devices in enumerate(self.rules))

    @property
    def is_held(self) -> bool:
        """Whether some card is held whole: then what looks full may only be in use."""
        return any(amount >= 0 for amounts in self.enough for amount in amounts)


def census(request: Request, group: NodeClass) -> tuple[Count, ...]:
    """One Count for each need."""
    above = ways(group.sample.devices)
    return tuple(_count(index, need, group, above) for index, need in enumerate(request.needs))


def _count(index: int, need: Need, group: NodeClass, above: Ways) -> Count:
    fine: list[Slot] = []
    broken: list[Slot] = []
    rules = Counter[str]()
    empty = Occupancy.from_amounts({d.uuid: d.capacity for d in group.sample.devices}, {})
    for position, device in enumerate(group.sample.devices):
        if device.type == need.type:
            links = above.get(device.uuid, ())
            found = {s.rule for s in failures(need, device, empty, "", links)} - {"free", "isolation"}
            (broken if found else fine).append(_slot(need, group, position, links))
            rules.update(found)
    slots = (*fine, *broken)
    enough = tuple(_enough(need, group, slot) for slot in slots)
    return Count(Ask(index, need.count, slots), len(fine), tuple(rules[name] for name in FOR_EVER), enough)


def _slot(need: Need, group: NodeClass, position: int, links: tuple[Device, ...]) -> Slot:
    """What the need would take, as far as the device and the links above it could ever give it."""
    device, places = group.sample.devices[position], {d.uuid: at for at, d in enumerate(group.sample.devices)}
    amounts = {name: n for name, n in asked(need, device).items() if 0 <= n <= device.capacity.get(name, -1)}
    load = sent(device.type, amounts)
    columns = [group.columns.index((places[k.uuid], CARRIED)) for k in links if load <= k.capacity[CARRIED]]
    return slot_of(group, position, amounts, columns)


def _enough(need: Need, group: NodeClass, slot: Slot) -> tuple[int, ...]:
    device = group.sample.devices[slot.device]
    if isolates(device):
        return (-1,) * len(slot.takes)
    amounts = wanted(need, device)
    columns = (group.columns[take[0]] for take in slot.takes)
    return tuple(amounts.get(name, 0) if at == slot.device else -1 for at, name in columns)
