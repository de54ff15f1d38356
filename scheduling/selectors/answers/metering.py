"""Supply and claims, as metering sees them. Amounts in base units, times in ms."""

from dataclasses import dataclass, field
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Supply:
    """One additive capacity of one device, in service since `since_ms` (until None = now).

    A part of a split card names the card (`part_of`) and its share of the card's capability, in billionths.
    """

    device: str
    device_type: str
    model: str
    node: str
    dimension: str
    capacity: int
    since_ms: int
    until_ms: int | None = None
    simulated: bool = field(default=False)
    healthy: bool = field(default=True)
    part_of: str = field(default="")
    share_ppb: int = field(default=0)


@dataclass(frozen=True, slots=True)
class AllocationSpan:
    """What an attempt held: an open end (None) means it still does. Grace time is included."""

    attempt_id: UUID
    job_id: UUID
    project_id: UUID
    device: str
    device_type: str
    node: str
    dimension: str
    amount: int
    start_ms: int
    end_ms: int | None
    ran: bool = True  # False: nothing was ever started on it, so its usage is known to be zero
