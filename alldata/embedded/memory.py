"""How much memory do all our processes take together, now and at their peak? PSS, so shared pages count once."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from alldata.embedded.attempts import ours, pss_bytes

PERIOD_S = 1.0
MEGABYTE = 1_000_000


@dataclass(slots=True)
class MemoryWatch:
    """Samples about once a second, when asked; the supervisor's own process is counted too."""

    data: Path
    runs: Path
    peak_bytes: int = 0
    due: float = 0.0

    def look(self) -> None:
        """Take a sample when one is due."""
        if time.monotonic() >= self.due:
            self.peak_bytes = max(self.peak_bytes, self.now_bytes())
            self.due = time.monotonic() + PERIOD_S

    def now_bytes(self) -> int:
        return pss_bytes([psutil.Process(os.getpid()), *ours(self.data, self.runs)])


def megabytes(amount: int) -> float:
    return round(amount / MEGABYTE, 1)
