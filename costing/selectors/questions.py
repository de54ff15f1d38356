"""What can be asked of the ledger? One question has one answer for page, API, CSV and chart.

A question says by what to group, which part of the ledger to look at, and how to order; it
travels in the URL (api/breakdown.py reads it), so a link shows the same to whoever may see it.
"""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from alldata.kernel.intervals import DAY_MS


class By(StrEnum):
    """Levels of the drill path and the two other ways to cut."""

    ORGANISATION = "organisation"
    TEAM = "team"
    PROJECT = "project"
    JOB = "job"
    DEVICE = "device"
    CAPABILITY = "capability"
    BUCKET = "bucket"
    DAY = "day"
    HOUR = "hour"


@dataclass(frozen=True, slots=True)
class Question:
    """[from_ms, to_ms) and filters; None means all that the viewer may see."""

    by: By
    from_ms: int
    to_ms: int
    team_id: UUID | None = None
    project_id: UUID | None = None
    job: str | None = None
    device: str | None = None
    capability: str | None = None
    bucket: str | None = None
    limit: int = 50

    @property
    def days(self) -> tuple[int, int]:
        """The whole UTC days that the span touches, as [first, end) in ms."""
        return self.from_ms // DAY_MS * DAY_MS, -(-self.to_ms // DAY_MS) * DAY_MS


@dataclass(frozen=True, slots=True)
class Amounts:
    """Nano by what became of it. `other_nano`: system, stranded, unavailable and unallocated capacity."""

    charged_nano: int = 0
    used_nano: int = 0
    idle_nano: int = 0
    unmetered_nano: int = 0
    other_nano: int = 0

    @property
    def total_nano(self) -> int:
        """The capacity price of what is in it."""
        return self.used_nano + self.idle_nano + self.unmetered_nano + self.other_nano

    @property
    def coverage(self) -> float | None:
        """Metered part of what was held, by money; None when nothing was held."""
        held = self.used_nano + self.idle_nano + self.unmetered_nano
        return round(1 - self.unmetered_nano / held, 4) if held else None


@dataclass(frozen=True, slots=True)
class Row:
    """One group. `key` goes into the next question; `label` is for people; cents and shares sum."""

    key: str
    label: str
    amounts: Amounts
    charged_minor: int
    share_permille: int
    spark: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows, dearest first; `rest` is what the limit left out, so that rows and rest sum to the total.

    `from_ms` and `to_ms` are what was really added up: sums over many jobs are kept by UTC day.
    """

    question: Question
    from_ms: int
    to_ms: int
    currency: str
    rows: tuple[Row, ...]
    rest: Row | None
    total: Amounts
    groups: int
    price_versions: tuple[str, ...]
    provisional: bool
