"""How is time written for people? Instants in the reader's zone, durations and ages, translated."""

from datetime import UTC, datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext, ngettext

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def local(at_ms: int) -> datetime:
    """The instant in the reader's time zone."""
    return timezone.localtime(datetime.fromtimestamp(at_ms / 1000, UTC))


def clock(at_ms: int, *, now_ms: int, seconds: bool = False) -> str:
    """15:44 today, else "Fri 27 Nov 15:44" / "11月27日 周五 15:44"."""
    moment, today = local(at_ms), local(now_ms)
    text = moment.strftime("%H:%M:%S" if seconds else "%H:%M")
    if moment.date() == today.date():
        return text
    return f"{_day(moment)} {text}"


def _day(moment: datetime) -> str:
    if (get_language() or "").startswith("zh"):
        return f"{moment.month}月{moment.day}日 周{'一二三四五六日'[moment.weekday()]}"
    return f"{date_format(moment, 'D j M')}"


def today(now_ms: int) -> str:
    """The date in a heading."""
    moment = local(now_ms)
    if (get_language() or "").startswith("zh"):
        return f"{moment.month}月{moment.day}日 {date_format(moment, 'l')}"
    return date_format(moment, "l j F")


def stamp(at_ms: int) -> str:
    """Time of day to the millisecond, for logs and ledgers."""
    return f"{local(at_ms):%H:%M:%S}.{at_ms % 1000:03d}"


def exact(at_ms: int) -> str:
    """The full instant with its zone, for hover and focus."""
    moment = local(at_ms)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{at_ms % 1000:03d} {moment:UTC%z}"


def iso(at_ms: int) -> str:
    """For <time datetime>."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")


def duration(span_ms: int) -> str:
    """1 h 42 min / 1 小时 42 分; seconds below ten minutes, milliseconds below one second."""
    span_ms = max(0, span_ms)
    if span_ms < SECOND:
        return gettext("%(n)d ms") % {"n": span_ms}
    if span_ms < MINUTE:
        shown = f"{span_ms / SECOND:.1f}" if span_ms < 10 * SECOND else f"{span_ms // SECOND}"
        return gettext("%(n)s s") % {"n": shown.removesuffix(".0")}
    if span_ms < HOUR:
        minutes, seconds = divmod(span_ms // SECOND, 60)
        if minutes >= 10 or not seconds:
            return gettext("%(n)d min") % {"n": minutes}
        return gettext("%(m)d min %(s)d s") % {"m": minutes, "s": seconds}
    if span_ms < 2 * DAY:
        hours, minutes = divmod(span_ms // MINUTE, 60)
        text = gettext("%(h)d h %(m)d min") if minutes else gettext("%(h)d h")
        return text % {"h": hours, "m": minutes}
    days = span_ms // DAY
    return ngettext("%(n)d day", "%(n)d days", days) % {"n": days}


def age(span_ms: int) -> str:
    """An age in steps: 4 s, 1 min, 1 h."""
    span_ms = max(0, span_ms)
    for step in (DAY, HOUR, MINUTE, SECOND):
        if span_ms >= step:
            return duration(span_ms // step * step)
    return gettext("%(n)s s") % {"n": 0}
