"""What is in a frame: parts (one device, or one attempt on one device) and columns of values.

Value k belongs to the part whose names reach over it, device parts first. A value that is
missing has q 0 and quality "missing"; peak and coverage that nobody told are ABSENT.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from alldata.agent.wire import AttemptUsage, DeviceUsage

ABSENT = -1
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Part:
    """A run of values: the capabilities `names` of one device, of one attempt where `attempt` is set."""

    device: str
    names: tuple[str, ...]
    attempt: str | None = None
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """All values of one window. `tags` is source and quality in one byte (packing.TAGS)."""

    parts: tuple[Part, ...]
    q: Numbers
    peak: Numbers
    coverage_ms: Numbers
    tags: NDArray[np.uint8]
    reasons: Mapping[int, str] = field(default_factory=dict)

    @property
    def attempts(self) -> list[str]:
        """The attempts that the window names, sorted."""
        return sorted({part.attempt for part in self.parts if part.attempt is not None})


@dataclass(frozen=True, slots=True)
class StoredFrame:
    """One stored window of one agent, unpacked."""

    agent: str
    epoch: str
    seq: int
    start_ms: int
    end_ms: int
    devices: tuple[DeviceUsage, ...]
    attempts: tuple[AttemptUsage, ...]

    def of(self, attempt: str) -> list[AttemptUsage]:
        """What the frame reports of one attempt, by device."""
        return [usage for usage in self.attempts if usage.key == attempt]


def span_of(usage: AttemptUsage, frame: StoredFrame, since_ms: int | None) -> tuple[int, int]:
    """When reported usage happened: as the engine says, else since the report before this one."""
    if usage.start_ms is not None and usage.end_ms is not None and usage.start_ms < usage.end_ms:
        return usage.start_ms, usage.end_ms
    start_ms = frame.start_ms if since_ms is None else since_ms
    return min(start_ms, frame.end_ms - 1), frame.end_ms
