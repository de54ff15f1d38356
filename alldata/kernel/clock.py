"""What time is it? The one place that reads the clock.

Doors ask `now_ms()` once and hand the answer down; services and pure modules only take
`now_ms` arguments, so a replay can run them at any speed.
"""

import time
from typing import Protocol


class Clock(Protocol):
    """A source of the present moment."""

    def now_ms(self) -> int:
        """UTC milliseconds since the epoch."""


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


_clock: Clock = SystemClock()


def use(clock: Clock) -> None:
    """Choose the clock for this process (called by wiring and by replays)."""
    global _clock
    _clock = clock


def now_ms() -> int:
    """The present moment in UTC milliseconds."""
    return _clock.now_ms()
