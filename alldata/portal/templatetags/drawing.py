"""Numbers of a drawing as SVG attributes and captions; the strict style policy leaves no other way."""

from typing import Any

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from alldata.portal import figures, times, words
from alldata.portal.ramp import RAMP
from alldata.portal.templatetags.alldata import bar

register = template.Library()
LANES_FROM, LANE_STEP = 56, 40
TONES = {"succeeded": "good", "failed": "bad", "lost": "bad", "over_budget": "bad"}


@register.filter
def lane_y(index: int) -> int:
    """Top of a lane in the timeline."""
    return LANES_FROM + LANE_STEP * index


@register.filter
def times10(percent: float) -> float:
    """Percent of the width in the lane's box of 1000."""
    return round(percent * 10, 1)


@register.filter
def tick(at_ms: int) -> str:
    """A label of the time axis: seconds only where they are not zero."""
    moment = times.local(at_ms)
    return moment.strftime("%H:%M:%S") if moment.second else moment.strftime("%H:%M")


@register.filter
def event_tone(event: Any) -> str:
    """The colour class of a dot on the thread of events."""
    return TONES.get(str(event.facts.get("to", "")), "")


@register.simple_tag
def lane_value(lane: Any) -> str:
    """0.98 of 1, with quality when it is not measured."""
    if not lane.count:
        return _("no data") if lane.gaps else _("no sample yet")
    text = _("%(value)s of %(whole)s") % {
        "value": figures.amount(round(lane.last), lane.capability),
        "whole": figures.amount(round(lane.whole), lane.capability),
    }
    return text if lane.quality == "measured" else f"{text} · {words.word(lane.quality, 'quality')}"


@register.simple_tag
def timeline_summary(line: Any, row: Any) -> str:
    """One sentence in place of the drawing."""
    parts = [
        f"{words.word(lane.capability, 'capability')} {figures.percent(lane.last, lane.whole)}"
        for _i, lane in line["lanes"]
        if lane.count
    ]
    state = words.word(row.state, "state")
    return _("Timeline of %(job)s, %(state)s. Latest: %(values)s") % {
        "job": row.reference,
        "state": state,
        "values": ", ".join(parts) or _("no data"),
    }


@register.simple_tag
def spend_bar(spent: int | None, forecast: int | None, cap: int, over: bool) -> SafeString:
    """Spend of a cap: solid what is spent, striped what is forecast on top."""
    paid = spent or 0
    rest = 0 if over else max(0, (forecast or 0) - paid)
    tone = "over" if paid > cap else ""
    label = _("%(share)s of the cap is spent") % {"share": figures.percent(paid, cap)}
    return bar([(paid, tone), (rest, "soft")], cap, label)


@register.simple_tag
def segments(parts: Any, total: int) -> SafeString:
    """The parts of one amount side by side, each in its capability's colour, with a gap between."""
    pairs = list(parts.items()) if hasattr(parts, "items") else [(name, nano) for name, nano, *_rest in parts]
    drawn, at = [], 0.0
    for name, nano in pairs:
        width = 100 * nano / total if total else 0
        drawn.append((name, f"{at:.2f}%", f"{max(0.0, width - 0.3):.2f}%"))
        at += width
    return format_html_join("", '<g class="c-{}"><rect x="{}" width="{}" height="100%"/></g>', drawn)


@register.filter
def heat(percent: float | None) -> str:
    """The cividis stop of a percentage."""
    return RAMP[min(9, int((percent or 0) / 10))]


@register.simple_tag
def segments_of_spend(spend: Any) -> SafeString:
    """The charged parts of a job side by side."""
    return segments([(part.name, part.nano) for part in spend.parts], spend.total_nano)


@register.simple_tag
def held_bar(part: Any, most: int) -> SafeString:
    """What was used, then what was held and left idle (hatched), against the largest holding."""
    return bar([(part.charged_nano, ""), (part.held_nano - part.charged_nano, "missing")], most)


@register.filter
def quantity(q: int, dimension: str) -> str:
    """An integral over time in hours of the shown unit: 0.0123 core·h."""
    return figures.quantity(q, dimension)


@register.simple_tag
def rate(part: Any, currency: str) -> str:
    """The price of an hour of one unit."""
    unit = {"device": _("device"), "cores": _("core")}.get(part.rate_unit, part.rate_unit)
    return _("%(money)s an hour per %(unit)s") % {
        "money": figures.unit_price(part.rate_nano_per_hour, currency),
        "unit": unit,
    }


@register.filter
def exact_money(nano: int) -> str:
    """Every digit there is."""
    return figures.money(nano, "", 9).strip()
