"""Where does a card sit in the PCIe tree, and how fast is its link?

Capacity is what card and slot can both do (`max_link_*`); the speed now falls when a card idles
and is only an attribute. numa_node -1 means that the firmware does not say: it stays None, never 0.
"""

import re
from dataclasses import dataclass

from alldata.agent.probe.tree import PCI_ADDRESS, Tree
from alldata.agent.wire import AttributeValue, Capacity, Device, Link

DEVICES = "sys/bus/pci/devices"
#: Bits of payload per bit on the line: 8b/10b up to 5 GT/s, 128b/130b up to 32, then flits.
_ENCODING = {2.5: (8, 10), 5.0: (8, 10), 8.0: (128, 130), 16.0: (128, 130), 32.0: (128, 130), 64.0: (242, 256)}
_SPEED = re.compile(r"([\d.]+) GT/s")
MOST_LANES = 33  # a width of 63 or 255 is the kernel's way to say that it does not know
_GENERATION = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}


@dataclass(frozen=True, slots=True)
class Place:
    """A card's place: its address, NUMA node and the root port above it."""

    address: str
    numa_node: int | None
    root_port: str | None
    bandwidth: Capacity
    attributes: dict[str, AttributeValue]


def normal_address(text: str) -> str:
    """`00000000:3B:00.0` as the kernel writes it: `0000:3b:00.0`."""
    domain, _, rest = text.strip().lower().partition(":")
    return f"{domain[-4:] if len(domain) == 8 and domain.startswith('0000') else domain}:{rest}"


def pci_id(tree: Tree, address: str) -> str | None:
    """What kind of card it is, `vendor:device` in hexadecimal ("10de:20b0"), as knowledge bases list it."""
    parts = [(tree.text(f"{DEVICES}/{address}/{name}") or "").strip().lower() for name in ("vendor", "device")]
    if not all(re.fullmatch("0x[0-9a-f]{4}", part) for part in parts):
        return None
    return ":".join(part.removeprefix("0x") for part in parts)


def place(tree: Tree, address: str) -> Place:
    """What sysfs says of one card."""
    where = f"{DEVICES}/{address}"
    path = tree.real(where) or ""
    chain = [step for step in path.split("/") if PCI_ADDRESS.fullmatch(step)]
    node = tree.number(f"{where}/numa_node")
    attributes: dict[str, AttributeValue] = {"pci_bus_id": address}
    if identity := pci_id(tree, address):
        attributes["pci_id"] = identity
    if len(chain) > 1:
        attributes["upstream_pci_bus_id"] = chain[-2]
        attributes["pcie_path"] = ",".join(chain[:-1])
    for name in ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width"):
        text = tree.text(f"{where}/{name}")
        if text:
            attributes[name] = text
    return Place(
        address,
        None if node is None or node < 0 else node,
        chain[0] if len(chain) > 1 else None,
        _sysfs_bandwidth(tree, address, chain[-2] if len(chain) > 1 else None),
        attributes,
    )


def driver_of(tree: Tree, address: str) -> str | None:
    """The kernel driver that has taken a card."""
    path = tree.real(f"{DEVICES}/{address}/driver")
    return path.rpartition("/")[2] if path else None


def address_of(real_path: str | None) -> str | None:
    """The card that a device directory hangs below, if it hangs below one."""
    steps = [step for step in (real_path or "").split("/") if PCI_ADDRESS.fullmatch(step)]
    return steps[-1] if steps else None


def lane_bandwidth(gigatransfers: float, width: int) -> int | None:
    """Payload bytes/s in one direction."""
    if gigatransfers not in _ENCODING or width <= 0:
        return None
    payload, line = _ENCODING[gigatransfers]
    return int(gigatransfers * 1e9) * width * payload // line // 8


def generation_bandwidth(generation: int, width: int) -> int | None:
    """The same from a PCIe generation, as drivers report it."""
    return lane_bandwidth(_GENERATION.get(generation, 0), width)


def _sysfs_bandwidth(tree: Tree, address: str, slot: str | None) -> Capacity:
    """What card and slot can both do, over the lanes in use: when idle only the speed falls, not their number."""
    ends = [f"{DEVICES}/{end}" for end in (address, slot) if end]
    speeds = [float(match[1]) for end in ends if (match := _SPEED.match(tree.text(f"{end}/max_link_speed") or ""))]
    widths = [tree.number(f"{end}/max_link_width") for end in ends]
    widths.append(tree.number(f"{ends[0]}/current_link_width"))
    lanes = [width for width in widths if width and 0 < width < MOST_LANES]
    value = lane_bandwidth(min(speeds), min(lanes)) if speeds and lanes else None
    if value is None:
        return Capacity(None, "sysfs", "missing", reason="link_speed_unknown")
    return Capacity(value, "sysfs", "measured")


def root_ports(tree: Tree, node: str, cards: dict[str, Place]) -> tuple[tuple[Device, ...], tuple[Link, ...]]:
    """The root ports above the given cards (by uuid) as devices, and the links from port to card."""
    ports: dict[str, Device] = {}
    links = []
    for uuid, card in sorted(cards.items()):
        if card.root_port is None:
            continue
        port = place(tree, card.root_port)
        ports[port.address] = Device(
            uuid=port_uuid(node, port.address),
            type="link",
            name=f"PCIe root port {port.address}",
            numa_node=port.numa_node if port.numa_node is not None else card.numa_node,
            attributes=port.attributes,
            capacities={"pcie_bandwidth": port.bandwidth},
        )
        links.append(Link("pcie", port_uuid(node, port.address), uuid, {"pcie_bandwidth": card.bandwidth}))
    return tuple(ports.values()), tuple(links)


def port_uuid(node: str, address: str) -> str:
    return f"{node}/link/{address}"
