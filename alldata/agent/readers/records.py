"""What can a saved command output tell about a machine?

A reader fills what its document says and leaves the rest None: unknown is never 0. Sizes are bytes, rates bytes/s.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from alldata.agent.probe.machine import Machine
from alldata.agent.wire import AttributeValue, Health

PairKind = Literal["nvlink", "xgmi"]
Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that could not be read: where, and why. `line` counts from 1; 0 is the file as a whole."""

    file: str
    line: int
    cause: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.cause}" if self.line else f"{self.file}: {self.cause}"


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A GPU or NPU. `index` is -1 where the document numbers none; `mig` names the profile of each MIG device; `bus`
    is the PCI address as the kernel writes it.
    """

    index: int
    uuid: str | None = None
    model: str | None = None
    vendor: str = "NVIDIA"
    bus: str | None = None
    memory_bytes: int | None = None
    numa_node: int | None = None
    pcie_bandwidth: int | None = None
    mig: tuple[str, ...] = ()
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    health: Health = "ok"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A NUMA node; `cpus` is empty on memory-only nodes and None where the document does not list them."""

    node: int
    cpus: tuple[int, ...] | None = None
    memory_bytes: int | None = None
    distances: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Processor:
    """The CPUs of the whole machine."""

    model: str | None = None
    vendor: str | None = None
    sockets: int | None = None
    cores: int | None = None
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class Drive:
    """A block device that holds data itself."""

    name: str
    model: str | None = None
    size_bytes: int | None = None
    bus: str | None = None
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adapter:
    """A network or InfiniBand card."""

    name: str
    bandwidth: int | None = None
    bus: str | None = None
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two accelerators, by index, with direct links between them."""

    kind: PairKind
    a: int
    b: int
    links: int | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """One machine as far as a document describes it; `name` is None where the document does not say whose it is."""

    name: str | None = None
    cores: int | None = None
    memory_bytes: int | None = None
    processor: Processor | None = None
    accelerators: tuple[Accelerator, ...] = ()
    cells: tuple[Cell, ...] = ()
    drives: tuple[Drive, ...] = ()
    adapters: tuple[Adapter, ...] = ()
    pairs: tuple[Pair, ...] = ()
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything one file says: machines, its own summary (`facts`) and what could not be read.

    `machine` is what the probe finds in a recorded tree, with devices ready to be registered.
    """

    kind: str
    hosts: tuple[Host, ...] = ()
    facts: Facts = field(default_factory=dict)
    complaints: tuple[Complaint, ...] = ()
    machine: Machine | None = None
