"""What does one field of a comparison mean: a job, a span of days, a profile version, or nothing?"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.translation import gettext as _

from alldata.kernel.errors import NotFound
from alldata.kernel.intervals import DAY_MS
from alldata.portal.cost_range import RANGES
from alldata.tenancy.viewer import Viewer
from scheduling.selectors.answers import JobRow
from scheduling.selectors.jobs import job_row

JOB = re.compile(r"(?i)^j-?(\d{1,18})$")
PERIOD = re.compile(r"^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$")
BEFORE = re.compile(r"^(24h|7d|30d|90d)(?:-(\d{1,3}))?$")


@dataclass(frozen=True, slots=True)
class Side:
    """What a field means: a job, a span [from, to), or a profile version; `fault` says why it means nothing."""

    text: str
    kind: str = ""
    job: JobRow | None = None
    span: tuple[int, int] | None = None
    fault: str = ""


def side_of(viewer: Viewer, text: str, *, now_ms: int) -> Side:
    """Read one field."""
    if match := JOB.match(text):
        try:
            row = job_row(viewer, f"J-{match[1]}")
        except NotFound:
            return Side(text, fault=_("There is no such job."))
        return Side(row.reference, "job", row)
    if match := BEFORE.match(text):
        length = RANGES[match[1]]
        end = -(-now_ms // DAY_MS) * DAY_MS - int(match[2] or 0) * length
        return Side(text, "period", span=(end - length, end))
    if match := PERIOD.match(text):
        return _period(text, match[1], match[2])
    if "@" in text:
        return Side(text, "profile")
    return Side(text, fault=_("Write a job, a period or a profile version.") if text else "")


def _period(text: str, first: str, last: str) -> Side:
    try:
        start, end = (
            round(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000) for day in (first, last)
        )
    except ValueError:
        return Side(text, fault=_("There is no such day."))
    return (
        Side(text, "period", span=(start, end)) if start < end else Side(text, fault=_("The end is before the start."))
    )
