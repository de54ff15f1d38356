"""Which devices of one group serve a request, all needs together or not at all?

Needs of different types never compete, so each type is solved on its own. Within a type the
tightest fitting device is tried first; when several needs share a type, an exhaustive search
with a bounded number of steps follows, so two needs may share one device when it has room.
"""

from collections.abc import Iterator, Sequence

from scheduling.crater.filters import passes
from scheduling.crater.model import Device, Need, Pick, Request
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.vector import CORE, CPU, asked, ceil_div, frozen, left_over

SEARCH_STEPS = 5_000


def fit(request: Request, devices: Sequence[Device], state: Occupancy) -> tuple[Pick, ...] | None:
    """One pick for each needed device in the order of the needs, or None."""
    chosen: dict[int, tuple[Pick, ...]] = {}
    for kind in sorted({need.type for need in request.needs}):
        wanted = [index for index, need in enumerate(request.needs) if need.type == kind]
        members = [device for device in devices if device.type == kind]
        slots = [(index, request.needs[index]) for index in wanted for _ in range(request.needs[index].count)]
        found = _Search(members, slots).run(state.part(members))
        if found is None:
            return None
        for (index, _), pick in zip(slots, found, strict=True):
            chosen[index] = (*chosen.get(index, ()), pick)
    return tuple(pick for index in sorted(chosen) for pick in chosen[index])


class _Search:
    """Depth-first over the slots of one device type."""

    def __init__(self, members: Sequence[Device], slots: Sequence[tuple[int, Need]]) -> None:
        self.members, self.slots = members, slots
        self.steps = SEARCH_STEPS

    def run(self, state: Occupancy, done: tuple[Pick, ...] = ()) -> tuple[Pick, ...] | None:
        if len(done) == len(self.slots):
            return done
        index, need = self.slots[len(done)]
        used = {pick.device for (slot, _), pick in zip(self.slots, done, strict=False) if slot == index}
        failed: set[object] = set()
        for device in self._candidates(need, used, state):
            if _shape(device, state) in failed:
                continue
            self.steps -= 1
            if self.steps < 0:
                return None
            pick = pick_from(need, device, state)
            after = state.part(self.members)
            after.take(pick)
            found = self.run(after, (*done, pick))
            if found is not None:
                return found
            failed.add(_shape(device, state))
        return None

    def _candidates(self, need: Need, used: set[str], state: Occupancy) -> Iterator[Device]:
        fitting = [d for d in self.members if d.uuid not in used and passes(need, d, state)]
        return iter(sorted(fitting, key=lambda d: (left_over(d, state.free(d), asked(need, d)), d.uuid)))


def pick_from(need: Need, device: Device, state: Occupancy) -> Pick:
    """What `need` takes from `device`, with the lowest free core numbers."""
    amounts = asked(need, device)
    count = ceil_div(amounts.get(CPU, 0), CORE) if device.cpus else 0
    cpus = tuple(sorted(state.cores(device)))[:count]
    return Pick(device.uuid, device.type, amounts, cpus, device.numa_node)


def _shape(device: Device, state: Occupancy) -> object:
    """Devices of equal shape are interchangeable: when one fails, so does the other."""
    attributes = tuple(sorted((name, str(value)) for name, value in device.attributes.items()))
    return frozen(device.capacity), frozen(state.free(device)), len(state.cores(device)), attributes, device.numa_node
