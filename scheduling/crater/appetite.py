"""What do jobs do to a machine's links, pools and drives? The values of contention.py.

Rates in bytes/s, storage in IOPS, depth in requests in flight.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scheduling.crater.model import Pick


@dataclass(frozen=True, slots=True)
class Parameters:
    """What the model takes from a data file."""

    socket_link_bytes_s: float
    remote_memory: float  # >= 1, latency and bandwidth of memory on the other socket
    remote_transfer: float


@dataclass(frozen=True, slots=True)
class Appetite:
    """What a job does in a second when nothing hinders it, and how its step is made up."""

    shares: Mapping[str, float]  # compute, transfer, memory, storage, exchange
    transfer_bytes_s: float = 0.0  # each device
    memory_bytes_s: float = 0.0
    iops: float = 0.0
    storage_bytes_s: float = 0.0
    depth: int = 0
    exchange_bytes_s: float = 0.0  # each device


@dataclass(frozen=True, slots=True)
class Seat:
    """A job on a machine."""

    job: str
    picks: tuple[Pick, ...]
    appetite: Appetite


@dataclass(frozen=True, slots=True)
class Effects:
    """What one machine's jobs do to each other."""

    slowdowns: Mapping[str, float]
    loads: Mapping[str, float] = field(default_factory=dict)  # link, pool, drive -> asked / offered
    depths: Mapping[str, float] = field(default_factory=dict)  # drive -> in flight / queue depth
