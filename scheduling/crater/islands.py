"""Which GPUs are joined by NVLink, and in which order are their islands looked at?

The smallest islands come first: where several suffice and nothing else tells them apart, the one
with fewest suitable GPUs left is taken (scoring.py, search.py), the smaller one when that is equal,
so that big islands stay whole for jobs that need them.
"""

from collections.abc import Iterable

from scheduling.crater.model import Device
from scheduling.crater.worth import MICRO

ISLAND = "nvlink_island"
APART = MICRO  # what GPUs of one job cost that no NVLink joins: one GPU's worth

Members = tuple[Device, ...]


def by_island(devices: Members) -> list[Members]:
    """One group an island, smallest first: its GPUs, with what else is on their NUMA nodes."""
    return [_with_others(cards, devices) for cards in _islands(devices)]


def islands_within(found: Iterable[Members]) -> list[tuple[int, Members]]:
    """(penalty, group): single islands of each group before all of it."""
    choices = []
    for members in found:
        islands = [cards for cards in _islands(members) if len(cards) > 1]
        if not islands or len(islands[-1]) == sum(d.type == "gpu" for d in members):
            choices.append((0, members))  # nothing to choose: no island, or all of it is one
            continue
        others = tuple(device for device in members if device.type != "gpu")
        choices += [(0, _sorted((*cards, *others))) for cards in islands]
        choices.append((APART, members))
    return choices


def _islands(devices: Members) -> list[Members]:
    named: dict[str, list[Device]] = {}
    for device in devices:
        if device.type == "gpu" and device.attributes.get(ISLAND) is not None:
            named.setdefault(str(device.attributes[ISLAND]), []).append(device)
    return [tuple(named[name]) for name in sorted(named, key=lambda name: (len(named[name]), name))]


def _with_others(cards: Members, devices: Members) -> Members:
    near = {card.numa_node for card in cards} | {None}
    unplaced = near == {None}  # where nobody knows the cards' NUMA node, everything is as near as anything
    others = (d for d in devices if d.type != "gpu" and (unplaced or d.numa_node in near))
    return _sorted((*cards, *others))


def _sorted(devices: Members) -> Members:
    return tuple(sorted(devices, key=lambda device: device.uuid))
