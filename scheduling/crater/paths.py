"""Which links does a device's traffic cross on its way to the rest of the machine, and what does it take from them?

Root ports, switches and other uplinks are devices of type `link`; a device's `parent` names what it
hangs from. What a GPU, a drive or a network card sends or receives is booked on every link above
it, beside its own amount. A link whose speed nobody knows limits nothing.
"""

from collections.abc import Iterable, Mapping

from scheduling.crater.model import Amounts, Device, Pick

LINK, CARRIED = "link", "pcie_bandwidth"
#: Which of a device's amounts crosses the links above it.
SENT: Mapping[str, str] = {
    "gpu": "pcie_bandwidth",
    "storage": "storage_bandwidth",
    "network": "network_bandwidth",
    LINK: CARRIED,
}

Ways = Mapping[str, tuple[Device, ...]]  # device -> links above it, nearest first; devices without any are absent


def ways(devices: Iterable[Device]) -> Ways:
    """The links above each device; a tree that bites its own tail ends where it does."""
    known = {device.uuid: device for device in devices}
    if all(device.type != LINK for device in known.values()):
        return {}
    found = {uuid: _above(device, known) for uuid, device in known.items()}
    return {uuid: links for uuid, links in found.items() if links}


def _above(device: Device, known: Mapping[str, Device]) -> tuple[Device, ...]:
    seen, links, current = {device.uuid}, list[Device](), known.get(device.parent or "")
    while current is not None and current.uuid not in seen:
        seen.add(current.uuid)
        if current.type == LINK and CARRIED in current.capacity:
            links.append(current)
        current = known.get(current.parent or "")
    return tuple(links)


def sent(kind: str, amounts: Amounts) -> int:
    """What a device of this type, used so, puts on each link above it."""
    return amounts.get(SENT.get(kind, ""), 0)


def crossings(picks: Iterable[Pick], above: Ways) -> tuple[Pick, ...]:
    """What the picks together take from the links above them, as picks of those links."""
    loads: dict[str, int] = {}
    links: dict[str, Device] = {}
    for pick in picks:
        for link in above.get(pick.device, ()) if sent(pick.type, pick.amounts) else ():
            links[link.uuid] = link
            loads[link.uuid] = loads.get(link.uuid, 0) + sent(pick.type, pick.amounts)
    return tuple(Pick(uuid, LINK, {CARRIED: loads[uuid]}, (), links[uuid].numa_node) for uuid in sorted(loads))
