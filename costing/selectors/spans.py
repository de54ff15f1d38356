"""Which part of a span is summed by day already, and which must be added up from the ledger?

Whole days without a mark come from the daily sums; the hours at both ends, and days that were
booked a moment ago, come from the ledger. Together they are exactly the span's hours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from alldata.kernel.intervals import DAY_MS, HOUR_MS
from costing.models import DirtyDay
from costing.pricing.charging import CHARGED_SQL

#: Entries of the span: `nano` and `charged` of accounts, from days and from hours. Takes %(days)s.
SPEND = f"""(
    SELECT project_id, bucket, dimension, price_version_id, nano, charged_nano AS charged
    FROM costing_spendday WHERE day_ms = ANY(%(days)s::bigint[])
    UNION ALL
    SELECT a.project_id, a.bucket, a.dimension, a.price_version_id, a.nano, {CHARGED_SQL}
    FROM (
        SELECT hour_ms, device, dimension, bucket, attempt_id, project_id, price_version_id, sum(nano) AS nano
        FROM ledger_entry WHERE {{hours}}
        GROUP BY hour_ms, device, dimension, bucket, attempt_id, project_id, price_version_id
    ) a JOIN costing_priceversion v ON v.id = a.price_version_id
) spend"""


@dataclass(frozen=True, slots=True)
class Pieces:
    """Days (their start) and runs of hours [first, end), all in ms."""

    days: tuple[int, ...]
    hours: tuple[tuple[int, int], ...]

    @property
    def source(self) -> str:
        """A table expression with the span's amounts; needs the parameter `days`."""
        return SPEND.format(hours=self.in_hours)

    @property
    def in_a_row(self) -> bool:
        """Do the days follow one another?"""
        return bool(self.days) and self.days[-1] - self.days[0] == (len(self.days) - 1) * DAY_MS

    @property
    def in_hours(self) -> str:
        """The runs as a condition on hour_ms; the numbers are ours, not a caller's."""
        runs = [f"(hour_ms >= {int(first)} AND hour_ms < {int(end)})" for first, end in self.hours]
        return f"({' OR '.join(runs)})" if runs else "FALSE"


def pieces(from_ms: int, to_ms: int) -> Pieces:
    """The UTC hours that overlap [from_ms, to_ms), in days where that is possible."""
    first, end = from_ms // HOUR_MS * HOUR_MS, -(-to_ms // HOUR_MS) * HOUR_MS
    whole = range(-(-first // DAY_MS) * DAY_MS, end // DAY_MS * DAY_MS, DAY_MS)
    marked = set(DirtyDay.objects.filter(day_ms__in=whole).values_list("day_ms", flat=True))
    days = tuple(day for day in whole if day not in marked)
    return Pieces(days, tuple(_complement(days, first, end)))


def _complement(days: Sequence[int], first: int, end: int) -> list[tuple[int, int]]:
    """What the days leave of [first, end)."""
    found, at = [], first
    for day in days:
        if at < day:
            found.append((at, day))
        at = day + DAY_MS
    if at < end:
        found.append((at, end))
    return found
