"""Which link is too full for all of a job's traffic together, and how much less would do? Part of explain.py."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from profiles.dimensions import PPM
from scheduling.crater.filters import unit_of
from scheduling.crater.fit import fit
from scheduling.crater.model import Device, Need, Node, Relaxation, Request, Shortfall
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import CARRIED, LINK, SENT, crossings
from scheduling.crater.topology import groups


def full_links(request: Request, node: Node, state: Occupancy) -> Iterator[Shortfall]:
    """The links that would carry too much, were the devices chosen without looking at links."""
    devices = {device.uuid: device for device in node.devices}
    for group in groups(node, request):
        picks = fit(request, replace(group, ways={}), state) if group.ways else None
        for load in crossings(picks or (), group.ways):
            asks, have = load.amounts[CARRIED], state.free(devices[load.device]).get(CARRIED, 0)
            asks += sum(pick.amounts.get(CARRIED, 0) for pick in picks or () if pick.device == load.device)
            if asks > have:
                yield Shortfall(
                    "free", node.name, load.device, LINK, CARRIED, asks, have, asks - have, unit_of(CARRIED)
                )
        if picks is not None:
            return


def less_traffic(need: Need, device: Device, link: Shortfall) -> Relaxation | None:
    """The need with as much traffic as the link above its device still carries."""
    name = SENT[need.type]
    left = link.have if isinstance(link.have, int) else 0
    if name in need.amounts:
        return Relaxation(name, need.type, left, need.amounts[name], link.unit) if left else None
    part = left * PPM // max(1, device.capacity.get(name, 0))
    return Relaxation(name, need.type, part, need.shares[name], "ppm", "share") if part else None


def lighter(request: Request, missing: Iterable[Shortfall]) -> Iterator[Relaxation]:
    """All traffic cut to what the fullest link carries, in proportion."""
    full = [s for s in missing if s.type == LINK]
    parts = [(s.have, s.need) for s in full if isinstance(s.have, int) and isinstance(s.need, int)]
    if not parts:
        return
    have, asks = min(parts, key=lambda part: part[0] / part[1])
    for need in request.needs:
        name = SENT.get(need.type, "")
        for rule, told, unit in (("amount", need.amounts, unit_of(name)), ("share", need.shares, "ppm")):
            if told.get(name):
                yield Relaxation(name, need.type, told[name] * have // asks, told[name], unit, rule)
