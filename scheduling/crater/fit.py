"""Which devices of one group serve a request, all needs together or not at all?

Needs of different types compete only for links that both their devices hang from: what does not
compete is solved on its own. Within a bundle of competing needs the tightest fitting device is
tried first; an exhaustive search with a bounded number of steps follows, so two needs may share
one device when it has room.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from scheduling.crater.filters import passes
from scheduling.crater.model import Device, Need, Pick, Request
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import LINK, SENT, crossings
from scheduling.crater.topology import Group
from scheduling.crater.vector import CORE, CPU, asked, ceil_div, frozen, left_over, names_cores

SEARCH_STEPS = 5_000


def fit(request: Request, group: Group, state: Occupancy) -> tuple[Pick, ...] | None:
    """One pick for each needed device in the order of the needs, then what the links carry; or None."""
    chosen: dict[int, list[Pick]] = {}
    for wanted in _bundles(request, group):
        if any(request.needs[index].count > len(group.members(index)) for index in wanted):
            return None
        slots = [index for index in wanted for _ in range(request.needs[index].count)]
        found = _Search(request, group, slots).run(state)
        if found is None:
            return None
        for index, pick in zip(slots, found, strict=True):
            chosen.setdefault(index, []).append(pick)
    picks = tuple(pick for index in sorted(chosen) for pick in chosen[index])
    return (*picks, *crossings(picks, group.ways)) if group.ways else picks


def _bundles(request: Request, group: Group) -> list[list[int]]:
    """Positions of needs that compete: one type each, but all that load links in one."""
    bundles: dict[str, list[int]] = {}
    loading = {need.type for need in request.needs if group.ways and _loads_links(need)}
    for index, need in enumerate(request.needs):
        bundles.setdefault(LINK if need.type in loading else need.type, []).append(index)
    return [bundles[kind] for kind in sorted(bundles)]


def _loads_links(need: Need) -> bool:
    name = SENT.get(need.type)
    return need.type == LINK or name in need.amounts or name in need.shares


class _Search:
    """Depth-first over the slots of one bundle; a slot is the position of its need."""

    def __init__(self, request: Request, group: Group, slots: Sequence[int]) -> None:
        self.request, self.group, self.slots = request, group, slots
        self.steps = SEARCH_STEPS
        self.members = {i: [d for d in group.members(i) if d.type == request.needs[i].type] for i in sorted(set(slots))}
        devices = {d.uuid: d for members in self.members.values() for d in members}
        links = [link for uuid in devices for link in group.ways.get(uuid, ())]
        self.users = Counter(link.uuid for link in links)
        self.touched = list((devices | {link.uuid: link for link in links}).values())

    def run(self, state: Occupancy, done: tuple[Pick, ...] = ()) -> tuple[Pick, ...] | None:
        if len(done) == len(self.slots):
            return done
        index = self.slots[len(done)]
        need, failed = self.request.needs[index], set[object]()
        for device in self._candidates(index, done, state):
            shape = self._shape(device, state)
            if shape in failed:
                continue
            self.steps -= 1
            if self.steps < 0:
                return None
            pick = pick_from(need, device, state)
            after = state.part(self.touched)
            for taken in (pick, *crossings((pick,), self.group.ways)):
                after.take(taken)
            found = self.run(after, (*done, pick))
            if found is not None:
                return found
            failed.add(shape)
        return None

    def _candidates(self, index: int, done: Sequence[Pick], state: Occupancy) -> Iterator[Device]:
        need, above = self.request.needs[index], self.group.ways
        used = {
            pick.device for slot, pick in zip(self.slots, done, strict=False) if slot == index or self.request.is_spread
        }
        fitting = [
            d for d in self.members[index] if d.uuid not in used and passes(need, d, state, above.get(d.uuid, ()))
        ]
        return iter(sorted(fitting, key=lambda d: (left_over(d, state.free(d), asked(need, d)), d.uuid)))

    def _shape(self, device: Device, state: Occupancy) -> object:
        """Devices of equal shape are interchangeable: when one fails, so does the other."""
        attributes = tuple(sorted((name, str(value)) for name, value in device.attributes.items()))
        links = self.group.ways.get(device.uuid, ())
        above = tuple(frozen(state.free(link)) if self.users[link.uuid] == 1 else link.uuid for link in links)
        return (
            frozen(device.capacity),
            frozen(state.free(device)),
            len(state.cores(device)),
            attributes,
            device.numa_node,
            above,
            tuple(device in members for members in self.members.values()) if self.group.own else (),
        )


def pick_from(need: Need, device: Device, state: Occupancy) -> Pick:
    """What `need` takes from `device`, with the lowest free core numbers."""
    amounts = asked(need, device)
    count = ceil_div(amounts.get(CPU, 0), CORE) if names_cores(device) else 0
    cpus = tuple(sorted(state.cores(device)))[:count]
    return Pick(device.uuid, device.type, amounts, cpus, device.numa_node)
