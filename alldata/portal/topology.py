"""Where does each part of a machine stand in its drawing? Machine > NUMA node > PCIe root > device.

Pure arithmetic: devices, links and live values in, boxes and paths in pixels out. Every device is
somewhere; a device without a place (a VM, a card off the bus) stands in a group of its own.
"""

from collections.abc import Iterable, Mapping, Sequence

from alldata.portal.topology_boxes import CARD, GAP, INDENT, Box, Column, Drawing, Frame
from alldata.portal.topology_wires import DEEPEST, Wire, arcs, between, capacity_width, link_load
from monitoring.selectors.live import LiveValue
from scheduling.selectors.answers import DeviceView, LinkView

PAD = 12
TALL, SHORT, PORT, HEAD = 66, 34, 22, 26
BETWEEN, WIDEST = 40, 1200
#: The loads a box shows, by type of device.
SHOWN: Mapping[str, tuple[str, ...]] = {
    "gpu": ("gpu_sm", "hbm_bandwidth"),
    "storage": ("storage_iops",),
    "network": ("network_bandwidth",),
    "cpu": ("cpu_millicores",),
    "memory": ("memory_bytes",),
}
Live = Mapping[tuple[str, str], LiveValue]


def draw(devices: Sequence[DeviceView], links: Sequence[LinkView], live: Live) -> Drawing:
    """The picture of one machine."""
    drawing, kept = Drawing(), [d for d in devices if d.type != "link" and "mig_parent" not in d.attributes]
    numas = sorted({d.numa_node for d in kept}, key=lambda n: (n is None, n or 0))
    columns = {numa: _columns([d for d in kept if d.numa_node == numa]) for numa in numas}
    every = [c for found in columns.values() for c in found]
    small = max((c.high for c in every if c.cards), default=0)
    room = _arc_room(links, kept)
    x, y, lowest = PAD, PAD, 0
    for numa in numas:
        width = max(2 * (CARD + GAP) - GAP, sum(c.width + 2 * GAP for c in columns[numa]) - 2 * GAP) + 2 * PAD
        if x > PAD and x + width > WIDEST:
            x, y = PAD, lowest + room + GAP
        height = HEAD + SHORT + GAP + _deep(columns[numa], small) + PAD
        drawing.groups.append(Frame(x, y, width, height, numa=numa))
        own = [d for d in kept if d.numa_node == numa]
        _pools(drawing, own, live, (x + PAD, y + HEAD, width - 2 * PAD))
        at = x + PAD
        for column in columns[numa]:
            _column(drawing, column, live, (at, y + HEAD + SHORT + 2 * GAP, small))
            at += column.width + 2 * GAP
        x, lowest = x + width + BETWEEN, max(lowest, y + height)
        drawing.width = max(drawing.width, x - BETWEEN + PAD)
    drawing.height = lowest + room + PAD
    _parts(drawing, devices)
    _join(drawing, links, live)
    return drawing


def _deep(columns: Sequence[Column], small: int) -> int:
    """How far the columns of one group reach down; the cards of all groups stand in one row."""
    if not columns:
        return 0
    high = max(column.high for column in columns) * (SHORT + GAP)
    cards = small * (SHORT + GAP) + TALL + 2 * GAP if any(column.cards for column in columns) else 0
    return GAP + PORT + max(high, cards)


def _arc_room(links: Iterable[LinkView], devices: Sequence[DeviceView]) -> int:
    here = {device.uuid for device in devices}
    return DEEPEST * 3 // 4 if any(link.kind == "nvlink" and link.a in here for link in links) else 0


def _columns(devices: Sequence[DeviceView]) -> list[Column]:
    hung = [d for d in devices if d.type not in ("cpu", "memory")]
    found = []
    for port in sorted({d.parent or "" for d in hung}, key=lambda p: (p == "", p)):
        below = [d for d in hung if (d.parent or "") == port]
        small = tuple(d for d in below if d.type != "gpu")
        found.append(Column(port, small, tuple(d for d in below if d.type == "gpu")))
    return found


def _rows(device: DeviceView, live: Live) -> tuple[tuple[str, float | None, str], ...]:
    known = {d.name for d in device.dimensions}
    rows = []
    for name in SHOWN.get(device.type, ()):
        if name in known:
            value = live.get((device.uuid, name))
            rows.append((name, value.percent if value else None, value.quality if value else "missing"))
    return tuple(rows)


def _pools(drawing: Drawing, devices: Sequence[DeviceView], live: Live, place: tuple[int, int, int]) -> None:
    """Cores and memory side by side at the head of their NUMA node."""
    x, y, width = place
    pools = [d for d in devices if d.type in ("cpu", "memory")]
    each = (width - GAP * (len(pools) - 1)) // max(1, len(pools))
    each = min(each, 2 * CARD)
    for index, pool in enumerate(pools):
        drawing.boxes.append(Box(x + index * (each + GAP), y, each, SHORT, pool, _rows(pool, live)))


def _column(drawing: Drawing, column: Column, live: Live, place: tuple[int, int, int]) -> None:
    """The root on top, small devices below it, cards in the lowest row; a rail joins them."""
    x, y, small = place
    switched = any(
        d.attributes.get("upstream_pci_bus_id") not in (None, column.port.rpartition("/")[2]) for d in column.cards
    )
    if column.port:
        drawing.ports.append(Frame(x, y, column.width, PORT, port=column.port.rpartition("/")[2], switched=switched))
    top, joints = y + PORT + GAP, []
    for index, device in enumerate(column.small):
        stack, level = divmod(index, column.high)
        left, at = x + INDENT + stack * (CARD + GAP), top + level * (SHORT + GAP)
        drawing.boxes.append(Box(left, at, CARD, SHORT, device, _rows(device, live)))
        joints.append((device, f"M{x + 5} {at + SHORT // 2}H{x + INDENT}"))
    low = y + PORT + GAP + small * (SHORT + GAP) + GAP
    for index, device in enumerate(column.cards):
        left = x + INDENT + index * (CARD + GAP)
        drawing.boxes.append(Box(left, low, CARD, TALL, device, _rows(device, live)))
        joints.append((device, f"M{left + CARD // 2} {low - GAP}V{low}"))
    if column.port and joints:
        _rail(drawing, column, (x, y + PORT, low - GAP, top + (column.high - 1) * (SHORT + GAP) + SHORT // 2))
        loads = [(device, path, link_load(device, live)) for device, path in joints]
        drawing.wires += [
            Wire("pcie", path, capacity_width(_pcie(device)), load, device.uuid) for device, path, load in loads
        ]


def _pcie(device: DeviceView) -> int | None:
    names = ("pcie_bandwidth", "storage_bandwidth", "network_bandwidth")
    return next((d.capacity for name in names for d in device.dimensions if d.name == name and d.capacity), None)


def _rail(drawing: Drawing, column: Column, place: tuple[int, int, int, int]) -> None:
    """From the root to where its lowest device is met."""
    x, top, bus, last = place
    if column.cards:
        end = x + INDENT + (len(column.cards) - 1) * (CARD + GAP) + CARD // 2
        drawing.wires.append(Wire("rail", f"M{x + 5} {top}V{bus}H{end}", 2.0, None, ""))
    else:
        drawing.wires.append(Wire("rail", f"M{x + 5} {top}V{last}", 2.0, None, ""))


def _parts(drawing: Drawing, devices: Sequence[DeviceView]) -> None:
    """MIG devices are drawn inside the card they were cut from."""
    for index, box in enumerate(drawing.boxes):
        parts = [d for d in devices if d.attributes.get("mig_parent") == box.device.uuid]
        if parts:
            step = (box.w - 12) // len(parts)
            placed = tuple((box.x + 6 + n * step, part) for n, part in enumerate(parts))
            drawing.boxes[index] = Box(box.x, box.y, box.w, box.h, box.device, (), placed)


def _join(drawing: Drawing, links: Sequence[LinkView], live: Live) -> None:
    """NVLinks as arcs below the cards, the sockets' interconnect between neighbouring groups."""
    spots = {box.device.uuid: (box.x + box.w // 2, box.y + box.h) for box in drawing.boxes}
    drawing.wires += arcs([link for link in links if link.kind == "nvlink"], spots, live)
    pools = {box.device.uuid: box.device.numa_node for box in drawing.boxes if box.device.type == "memory"}
    crossings = {}
    for link in links:
        if link.kind == "numa" and link.a in pools and link.b in pools:
            crossings[frozenset((pools[link.a], pools[link.b]))] = link
    for left, right in zip(drawing.groups, drawing.groups[1:], strict=False):
        crossing = crossings.get(frozenset((left.numa, right.numa)))
        if crossing is not None and left.y == right.y:
            span = (left.x + left.w, right.x, left.y + HEAD + SHORT // 2)
            drawing.wires.append(between(crossing, span))
