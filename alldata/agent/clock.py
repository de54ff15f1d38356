"""What time is it for the agent? Spans come from the monotonic clock, their place from one anchor.

A step of the wall clock must not make a window overlap another, so a Timeline keeps counting from
its anchor. When the two have parted by more than MAX_SKEW_MS the caller starts a new epoch.
"""

import time
from dataclasses import dataclass

MAX_SKEW_MS = 500


def wall_ms() -> int:
    """UTC milliseconds by the machine's clock."""
    return time.time_ns() // 1_000_000


def mono_ms() -> int:
    """Milliseconds that only ever grow; suspended time does not count."""
    return time.monotonic_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Timeline:
    """UTC milliseconds that advance with the monotonic clock from one anchor."""

    anchor_wall_ms: int
    anchor_mono_ms: int

    @classmethod
    def from_now(cls) -> "Timeline":
        return cls(wall_ms(), mono_ms())

    def now_ms(self) -> int:
        return self.anchor_wall_ms + mono_ms() - self.anchor_mono_ms

    @property
    def has_parted(self) -> bool:
        """Whether the wall clock was set, or the machine slept, since the anchor."""
        return abs(wall_ms() - self.now_ms()) > MAX_SKEW_MS
