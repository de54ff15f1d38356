"""Machines and devices. Amounts in base units, times in ms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class DimensionView:
    """One capability of one device: what it has, what is promised, and how well that is known."""

    name: str
    capacity: int | None
    reserved: int
    source: str
    quality: str


@dataclass(frozen=True, slots=True)
class DeviceView:
    """One device as pages and the API show it."""

    uuid: str
    node: str
    type: str
    name: str
    numa_node: int | None
    parent: str | None
    vendor: str
    model: str
    attributes: Mapping[str, Any]
    healthy: bool
    degraded_reason: str
    simulated: bool
    dimensions: tuple[DimensionView, ...]
    cpus: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A machine in a line; `devices` counts those in service."""

    name: str
    simulated: bool
    seen_ms: int
    devices: int


@dataclass(frozen=True, slots=True)
class NodeView:
    """One machine; `seen_ms` is its agent's last sign of life."""

    name: str
    engine: str
    agent_version: str
    registered_ms: int
    seen_ms: int
    simulated: bool
    draining: bool
    facts: Mapping[str, Any]
    devices: tuple[DeviceView, ...]


@dataclass(frozen=True, slots=True)
class LinkView:
    """A path inside a machine: pcie (`a` upstream), nvlink or numa; bytes/s, None when nobody knows."""

    kind: str
    a: str
    b: str
    capacity: int | None
    quality: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Why a figure is what it is: the reason, the document with the day it was checked, or the moment of measuring."""

    reason: str
    origin: str
    checked: str
    at_ms: int | None


@dataclass(frozen=True, slots=True)
class NodeGraph:
    """How a machine is wired, and the provenance of each (device, dimension)."""

    links: tuple[LinkView, ...]
    provenance: Mapping[tuple[str, str], Provenance]
