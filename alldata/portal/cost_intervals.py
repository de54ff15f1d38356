"""Which intervals made up an hour of one part of a job's cost? One hour at a time; the hour is in the address."""

from collections.abc import Mapping
from dataclasses import dataclass

from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.viewer import Viewer
from costing.rating.shares import Share
from costing.selectors.costs import JobCost
from costing.selectors.intervals import Asked, held_span, intervals_of_job

MOST_ROWS = 800


@dataclass(frozen=True, slots=True)
class Hour:
    """The intervals of one UTC hour, its neighbours, and what they sum to."""

    start_ms: int
    before_ms: int | None
    after_ms: int | None
    rows: tuple[Share, ...]
    left_out: int
    used_nano: int
    idle_nano: int
    booked: bool

    @property
    def devices(self) -> list[str]:
        """The devices the rows speak of."""
        return sorted({share.stretch.device for share in self.rows})


def hour_of(viewer: Viewer, cost: JobCost, asked: Mapping[str, str], *, now_ms: int) -> Hour | None:
    """The hour the address names (the job's first by default); None before the job held anything."""
    reference, capability, device = cost.job.reference, asked.get("part", ""), asked.get("device", "")
    held = held_span(viewer, reference, now_ms=now_ms)
    if held is None or capability not in {part.dimension for part in cost.parts}:
        return None
    first, last = (at // HOUR_MS * HOUR_MS for at in (held.start_ms, held.end_ms - 1))
    text = asked.get("hour", "")
    start = min(max(int(text) // HOUR_MS * HOUR_MS, first), last) if text.isdecimal() and len(text) < 16 else first
    found = intervals_of_job(viewer, Asked(reference, capability, start, start + HOUR_MS), now_ms=now_ms)
    rows = [share for share in found if device in ("", share.stretch.device)]
    return Hour(
        start_ms=start,
        before_ms=start - HOUR_MS if start > first else None,
        after_ms=start + HOUR_MS if start < last else None,
        rows=tuple(rows[:MOST_ROWS]),
        left_out=max(0, len(rows) - MOST_ROWS),
        used_nano=sum(share.used_nano or 0 for share in rows),
        idle_nano=sum(share.idle_nano or 0 for share in rows),
        booked=all(share.used_nano is not None for share in rows),
    )
