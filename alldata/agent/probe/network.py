"""Which network cards are there, and how fast are they? Virtual interfaces are left out."""

from alldata.agent.probe import pcie
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import AttributeValue, Capacity, Device

MEGABIT_IN_BYTES = 125_000


def names(tree: Tree) -> tuple[str, ...]:
    """Interfaces with hardware behind them (loopback, bridges, bonds and tunnels have none)."""
    return tuple(name for name in tree.names("sys/class/net") if tree.has(f"sys/class/net/{name}/device"))


def devices(tree: Tree, node: str) -> tuple[Device, ...]:
    """The network cards; a link that is down or virtual does not say its speed (-1)."""
    return tuple(_card(tree, node, name) for name in names(tree))


def _card(tree: Tree, node: str, name: str) -> Device:
    where = f"sys/class/net/{name}"
    speed = tree.number(f"{where}/speed")
    address = pcie.address_of(tree.real(where))
    place = pcie.place(tree, address) if address else None
    state = tree.text(f"{where}/operstate")
    attributes: dict[str, AttributeValue] = {"operstate": state} if state else {}
    return Device(
        uuid=f"{node}/net/{name}",
        type="network",
        name=name,
        numa_node=place.numa_node if place else None,
        attributes=attributes | (place.attributes if place else {}),
        capacities={
            "network_bandwidth": Capacity(speed * MEGABIT_IN_BYTES, "sysfs", "measured")
            if speed and speed > 0
            else Capacity(None, "sysfs", "missing", reason="link_speed_unknown")
        },
    )
