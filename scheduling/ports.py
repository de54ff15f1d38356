"""What scheduling asks of the apps above it and of the platform; plugged in by wiring.py."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from alldata.kernel.blobs import BlobStore
from scheduling.executors.base import Executor


@dataclass(frozen=True, slots=True)
class Rate:
    """The price of one hour of a device's whole capacity in one dimension."""

    device: str
    dimension: str
    nano_per_hour: int


@dataclass(frozen=True, slots=True)
class Offer:
    """What a price depends on: a device's kind and its known capacities."""

    device: str
    type: str
    model: str
    capacity: Mapping[str, int]


class PriceQuotes(Protocol):
    """What devices cost now (costing)."""

    def rates(self, devices: Collection[Offer]) -> Sequence[Rate]:
        """Current rates; a device without a price is absent, not free."""

    def edition(self) -> str:
        """The name of the rates in force: while it stays the same, so do they."""

    def currency(self) -> str:
        """The currency of the rates."""


class UsageWatch(Protocol):
    """How far usage has been received (monitoring)."""

    def metered_until_ms(self, node: str) -> int | None:
        """End of the last frame of the node's agent, or None."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything plugged in, by name."""

    engines: Mapping[str, Executor]
    blobs: BlobStore
    prices: PriceQuotes
    usage: UsageWatch


_ports: list[Ports] = []


def plug(ports: Ports) -> None:
    """Called once a process by wiring (and by tests that bring their own engine)."""
    _ports[:] = [ports]


def ports() -> Ports:
    """What was plugged in. An IndexError means wiring never ran: a programming error."""
    return _ports[0]
