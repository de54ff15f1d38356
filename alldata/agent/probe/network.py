"""Which network cards are there, and how fast are they? Virtual interfaces are left out.

InfiniBand ports tell their rate in their own words: `400 Gb/sec (4X NDR)` is 50 GB/s. A card that the kernel shows as
an interface is one device; one that has only an InfiniBand side (no IP over it) is a device of its own; a bond stands
for cards that are listed already.
"""

import re

from alldata.agent.probe import pcie
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import AttributeValue, Capacity, Device

MEGABIT_IN_BYTES = 125_000
GIGABIT_IN_BYTES = 125_000_000
_FABRIC = "sys/class/infiniband"
_UNKNOWN = Capacity(None, "sysfs", "missing", reason="link_speed_unknown")
Found = tuple[Device, pcie.Place | None]


def names(tree: Tree) -> tuple[str, ...]:
    """Interfaces with hardware behind them (loopback, bridges, bonds and tunnels have none)."""
    return tuple(name for name in tree.names("sys/class/net") if tree.has(f"sys/class/net/{name}/device"))


def devices(tree: Tree, node: str) -> tuple[tuple[Device, ...], dict[str, pcie.Place]]:
    """The network cards, and the PCIe places of those in a slot."""
    found = [_card(tree, node, name) for name in names(tree)]
    behind = {place.address for _device, place in found if place}
    found += [
        card
        for name in tree.names(_FABRIC)
        if "bond" not in name and (card := _fabric_card(tree, node, name))[0].attributes.get("pci_bus_id") not in behind
    ]
    return tuple(device for device, _place in found), {device.uuid: place for device, place in found if place}


def _card(tree: Tree, node: str, name: str) -> Found:
    """A link that is down or virtual does not say its speed (-1)."""
    where = f"sys/class/net/{name}"
    speed = tree.number(f"{where}/speed")
    address = pcie.address_of(tree.real(where))
    place = pcie.place(tree, address) if address else None
    state = tree.text(f"{where}/operstate")
    attributes: dict[str, AttributeValue] = {"operstate": state} if state else {}
    fabric = next(iter(tree.names(f"{where}/device/infiniband")), None)
    capacity = Capacity(speed * MEGABIT_IN_BYTES, "sysfs", "measured") if speed and speed > 0 else _UNKNOWN
    if fabric:
        attributes |= {"rdma_device": fabric} | _fabric_attributes(tree, fabric)
        capacity = capacity if capacity.value else _fabric_rate(tree, fabric)
    return _device(node, name, (place, attributes, capacity))


def _fabric_card(tree: Tree, node: str, name: str) -> Found:
    address = pcie.address_of(tree.real(f"{_FABRIC}/{name}"))
    place = pcie.place(tree, address) if address else None
    attributes: dict[str, AttributeValue] = {"rdma_device": name}
    return _device(node, name, (place, attributes | _fabric_attributes(tree, name), _fabric_rate(tree, name)))


def _device(node: str, name: str, facts: tuple[pcie.Place | None, dict[str, AttributeValue], Capacity]) -> Found:
    place, attributes, capacity = facts
    device = Device(
        uuid=f"{node}/net/{name}",
        type="network",
        name=name,
        numa_node=place.numa_node if place else None,
        parent=pcie.port_uuid(node, place.root_port) if place and place.root_port else None,
        attributes=attributes | (place.attributes if place else {}),
        capacities={"network_bandwidth": capacity},
    )
    return device, place


def _fabric_attributes(tree: Tree, name: str) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue] = {}
    for port in tree.names(f"{_FABRIC}/{name}/ports")[:1]:
        for attribute in ("link_layer", "state", "rate"):
            text = tree.text(f"{_FABRIC}/{name}/ports/{port}/{attribute}")
            if text:
                found[attribute if attribute != "state" else "port_state"] = text
    return found


def _fabric_rate(tree: Tree, name: str) -> Capacity:
    """All ports together, bytes/s in one direction."""
    ports = tree.names(f"{_FABRIC}/{name}/ports")
    texts = [tree.text(f"{_FABRIC}/{name}/ports/{port}/rate") or "" for port in ports]
    rates = [float(match[1]) for text in texts if (match := re.match(r"([\d.]+) Gb/sec", text))]
    return Capacity(int(sum(rates) * GIGABIT_IN_BYTES), "sysfs", "measured") if rates else _UNKNOWN
