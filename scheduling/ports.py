"""What scheduling asks of the apps above it and of the platform; plugged in by wiring.py."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from alldata.kernel.blobs import BlobStore
from alldata.tenancy.viewer import Viewer
from scheduling.executors.base import Executor


@dataclass(frozen=True, slots=True)
class Rate:
    """The price of one hour of a device's whole capacity in one dimension."""

    device: str
    dimension: str
    nano_per_hour: int


class PriceQuotes(Protocol):
    """What devices cost now (costing)."""

    def rates(self, devices: Collection[str]) -> Sequence[Rate]:
        """Current rates of devices, the parts of a card with it; one without a price is absent, not free."""

    def edition(self) -> str:
        """The name of the rates in force: while it stays the same, so do they."""

    def currency(self) -> str:
        """The currency of the rates."""


@dataclass(frozen=True, slots=True)
class Spend:
    """Money that one job may come to."""

    job_id: UUID
    project_id: UUID
    nano: int


@dataclass(frozen=True, slots=True)
class Shortage:
    """The narrowest budget that a spend would break: whose it is, and how it stands."""

    scope: str  # organisation, team, project or job
    name: str
    currency: str
    limit_nano: int
    taken_nano: int
    asked_nano: int

    @property
    def left_nano(self) -> int:
        return max(0, self.limit_nano - self.taken_nano)


class BudgetGate(Protocol):
    """Whether money may be spent (costing). What was set aside is settled when the job has ended."""

    def reserve(self, viewer: Viewer, spend: Spend, *, now_ms: int) -> None:
        """Set money aside in the caller's transaction, or raise a Conflict. Repeating changes nothing; more adds."""

    def shortage(self, viewer: Viewer, spend: Spend, *, now_ms: int) -> Shortage | None:
        """What `reserve` would refuse, without setting anything aside."""


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
    budgets: BudgetGate
    usage: UsageWatch


_ports: list[Ports] = []


def plug(ports: Ports) -> None:
    """Called once a process by wiring (and by tests that bring their own engine)."""
    _ports[:] = [ports]


def ports() -> Ports:
    """What was plugged in. An IndexError means wiring never ran: a programming error."""
    return _ports[0]
