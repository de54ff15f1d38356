"""Which span of time does a page of money look at? A preset, or two instants of the reader's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from alldata.kernel.intervals import DAY_MS
from alldata.portal.spending import month_start_ms
from alldata.portal.times import local

RANGES = {"24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS, "90d": 90 * DAY_MS}
MONTH, DEFAULT = "month", "30d"
MOST_MS = 400 * DAY_MS


@dataclass(frozen=True, slots=True)
class Span:
    """[from_ms, to_ms). `preset` is "" for instants of the reader's own; `fault` says why those were not used."""

    from_ms: int
    to_ms: int
    preset: str
    fault: str = ""

    @property
    def fields(self) -> tuple[str, str]:
        """Both ends for the fields of the picker, in the reader's zone."""
        return _field(self.from_ms), _field(self.to_ms)


def span_of(asked: Mapping[str, str], *, now_ms: int) -> Span:
    """What the address asks for; a span that means nothing becomes the default and says so."""
    first, last = asked.get("from", ""), asked.get("to", "")
    if not first and not last:
        return _preset(asked.get("range", ""), now_ms)
    try:
        start = _instant(first) if first else 0
        end = _instant(last) if last else now_ms
    except ValueError:
        return _preset(DEFAULT, now_ms, _("There is no such time."))
    if start >= end:
        return _preset(DEFAULT, now_ms, _("The end is before the start."))
    if end - start > MOST_MS:
        return _preset(DEFAULT, now_ms, _("At most 400 days can be shown at once."))
    return Span(start, end, "")


def _preset(name: str, now_ms: int, fault: str = "") -> Span:
    if name == MONTH:
        return Span(month_start_ms(now_ms), now_ms, MONTH, fault)
    known = name if name in RANGES else DEFAULT
    return Span(now_ms - RANGES[known], now_ms, known, fault)


def _instant(text: str) -> int:
    """ISO 8601; without a zone it is the reader's. Errors: ValueError."""
    moment = datetime.fromisoformat(text)
    if not 1970 < moment.year < 2100:
        raise ValueError(text)
    aware = timezone.make_aware(moment) if moment.tzinfo is None else moment
    return round(aware.timestamp() * 1000)


def _field(at_ms: int) -> str:
    return f"{local(at_ms):%Y-%m-%dT%H:%M}"
