"""What is wrong in a machine, what is not known of it, and where does each figure come from?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alldata.portal.ailments import Ailment, ailment, unknown
from monitoring.selectors.live import LiveValue
from scheduling.selectors.answers import DeviceView, DimensionView, NodeGraph, NodeView, Provenance

IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Known:
    """One capability: what it is, what it does now, and where the figure comes from."""

    about: DimensionView
    now: LiveValue | None
    origin: Provenance | None
    missing: Ailment | None


@dataclass(frozen=True, slots=True)
class Sick:
    """One cause with every device that suffers from it."""

    cause: Ailment
    devices: tuple[DeviceView, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """One reason with every (device, capability) it keeps unknown."""

    why: Ailment
    figures: tuple[tuple[DeviceView, str], ...]


def is_sick(device: DeviceView) -> bool:
    """Degraded for a reason of its own: being imported is none."""
    return not device.healthy and device.degraded_reason != IMPORTED


def bus_of(device: DeviceView) -> str:
    """What commands call it."""
    return str(device.attributes.get("pci_bus_id") or device.uuid)


def sick(devices: Sequence[DeviceView]) -> list[Sick]:
    """Causes, each with its devices; a command names the first of them."""
    causes: dict[str, list[DeviceView]] = {}
    for one in devices:
        if is_sick(one):
            causes.setdefault(one.degraded_reason or "unhealthy", []).append(one)
    return [Sick(ailment(code, bus_of(found[0])), tuple(found)) for code, found in causes.items()]


def unknowns(devices: Sequence[DeviceView], graph: NodeGraph) -> list[Unknown]:
    """Every capability without a value, by reason."""
    reasons: dict[str, list[tuple[DeviceView, str]]] = {}
    for one in devices:
        for dimension in one.dimensions:
            if dimension.capacity is None:
                reasons.setdefault(_reason(graph, one, dimension.name), []).append((one, dimension.name))
    return [Unknown(unknown(code, bus_of(found[0][0])), tuple(found)) for code, found in reasons.items()]


def _reason(graph: NodeGraph, device: DeviceView, name: str) -> str:
    origin = graph.provenance.get((device.uuid, name))
    code = origin.reason if origin else ""
    return "not_in_the_files" if code == IMPORTED else code


def known_of(device: DeviceView, graph: NodeGraph, values: Mapping[tuple[str, str], LiveValue]) -> list[Known]:
    return [
        Known(
            about=dimension,
            now=values.get((device.uuid, dimension.name)),
            origin=graph.provenance.get((device.uuid, dimension.name)),
            missing=unknown(_reason(graph, device, dimension.name), bus_of(device))
            if dimension.capacity is None
            else None,
        )
        for dimension in device.dimensions
    ]


def groups_of(
    found: NodeView, graph: NodeGraph, values: Mapping[tuple[str, str], LiveValue]
) -> list[tuple[int | None, list[tuple[DeviceView, list[Known]]]]]:
    """Devices by NUMA node, those of none last."""
    groups: dict[int | None, list[tuple[DeviceView, list[Known]]]] = {}
    for one in found.devices:
        groups.setdefault(one.numa_node, []).append((one, known_of(one, graph, values)))
    return sorted(groups.items(), key=lambda pair: (pair[0] is None, pair[0] or 0))
