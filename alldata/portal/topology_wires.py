"""How is a connection drawn? As wide as its capacity, as bright as its load, dashed where nobody knows the load."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitoring.selectors.live import LiveValue
from scheduling.selectors.answers import DeviceView, LinkView

#: What tells how busy the way to a device is, by type.
TOLD_BY = {"gpu": "pcie_bandwidth", "storage": "storage_bandwidth", "network": "network_bandwidth"}
THINNEST, THICKEST = 1.5, 7.0
DEEPEST = 96  # pixels an arc hangs below its cards, by its control points
SLOWEST, FASTEST = 1e9, 1e12  # bytes/s at the two ends of the scale of widths


@dataclass(frozen=True, slots=True)
class Wire:
    """One path; `load` is percent of the capacity, None when nobody measures it."""

    kind: str
    path: str
    width: float
    load: float | None
    about: str
    capacity: int | None = None
    other: str = ""
    label: str = ""
    x: int = 0
    y: int = 0


def capacity_width(capacity: int | None) -> float:
    """Pixels by the logarithm of bytes/s; an unknown capacity is drawn thin."""
    if not capacity:
        return THINNEST
    share = (math.log10(capacity) - math.log10(SLOWEST)) / (math.log10(FASTEST) - math.log10(SLOWEST))
    return round(THINNEST + (THICKEST - THINNEST) * min(1.0, max(0.0, share)), 1)


def link_load(device: DeviceView, live: Mapping[tuple[str, str], LiveValue]) -> float | None:
    """How busy the way to this device is."""
    value = live.get((device.uuid, TOLD_BY.get(device.type, "")))
    return value.percent if value else None


def arcs(
    links: Sequence[LinkView], spots: Mapping[str, tuple[int, int]], live: Mapping[tuple[str, str], LiveValue]
) -> list[Wire]:
    """One arc a pair of cards, below them; far pairs hang deeper. An arc is as busy as its busier end."""
    found, dense = [], len(links) > 8
    for link in links:
        if link.a not in spots or link.b not in spots:
            continue
        (ax, ay), (bx, by) = spots[link.a], spots[link.b]
        depth = min(DEEPEST, 14 + abs(ax - bx) // 8)
        path = f"M{ax} {ay}C{ax} {ay + depth} {bx} {by + depth} {bx} {by}"
        ends = [live.get((uuid, "nvlink_bandwidth")) for uuid in (link.a, link.b)]
        loads = [end.percent for end in ends if end is not None and end.percent is not None]
        width = 1.25 if dense else capacity_width(link.capacity)
        found.append(Wire("nvlink", path, width, max(loads, default=None), link.a, link.capacity, link.b))
    return found


def between(link: LinkView, span: tuple[int, int, int]) -> Wire:
    """The way from one NUMA node to its neighbour; no counter tells how busy it is."""
    left, right, y = span
    label, width, middle = str(link.attributes.get("distance", "")), capacity_width(link.capacity), (left + right) // 2
    return Wire("numa", f"M{left} {y}H{right}", width, None, link.a, link.capacity, link.b, label, middle, y - 8)
