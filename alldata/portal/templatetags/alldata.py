"""The template language of the portal: words, figures, times and the small parts of UI.md section 7."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from alldata.kernel.clock import now_ms
from alldata.portal import figures, sentences, times, words

register = template.Library()
#: A forecast is striped and a proxy dotted: a pattern over the capability's own colour.
OVERLAYS = {"soft": "stripes", "proxy": "dots"}
register.filter("word", words.word)
register.filter("duration", times.duration)
register.filter("stamp", times.stamp)
register.filter("exact", times.exact)
register.filter("size", figures.size)
register.filter("shown", figures.digits)
register.filter("value_of", sentences.value)


@register.simple_tag
def icon(name: str, title: str = "") -> SafeString:
    """A drawing from the sprite: hidden from readers unless it has a title."""
    if title:
        return format_html('<svg class="icon" role="img" aria-label="{}"><use href="#i-{}"/></svg>', title, name)
    return format_html('<svg class="icon" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def badge(state: str, table: str = "state") -> SafeString:
    """Icon, word and colour of a state."""
    tone, drawing = words.look(state)
    return format_html('<span class="badge {}">{}{}</span>', tone, icon(drawing), words.word(state, table))


@register.filter
def clock(at_ms: int | None) -> SafeString:
    """A time of day with the exact instant on hover; a dash for none."""
    return _time(at_ms, seconds=False)


@register.filter
def clock_s(at_ms: int | None) -> SafeString:
    """The same to the second."""
    return _time(at_ms, seconds=True)


def _time(at_ms: int | None, *, seconds: bool) -> SafeString:
    if at_ms is None:
        return SafeString("–")
    text = times.clock(at_ms, now_ms=now_ms(), seconds=seconds)
    return format_html('<time datetime="{}" title="{}">{}</time>', times.iso(at_ms), times.exact(at_ms), text)


@register.filter
def age(at_ms: int | None) -> SafeString:
    """How long ago, with the exact instant on hover."""
    if at_ms is None:
        return SafeString("–")
    text = times.age(now_ms() - at_ms)
    return format_html('<time datetime="{}" title="{}">{}</time>', times.iso(at_ms), times.exact(at_ms), text)


@register.filter
def money(nano: int | None, currency: str = "CNY") -> SafeString:
    """An amount with the exact value on hover; a dash for none."""
    if nano is None:
        return SafeString("–")
    exact = figures.money(nano, currency, 9)
    return format_html('<span class="nowrap" title="{}">{}</span>', exact, figures.money(nano, currency))


@register.filter
def amount(value: int | None, dimension: str) -> SafeString:
    """An amount of a capability, exact on hover; missing is never zero."""
    if value is None:
        return format_html('<span class="muted">{}</span>', _("no data"))
    exact = f"{value:,}"
    return format_html('<span class="nowrap" title="{}">{}</span>', exact, figures.amount(value, dimension))


@register.simple_tag
def percent(part: float | None, whole: float = 1, places: int = 0) -> str:
    """A share, or a dash when there is nothing to compare."""
    return "–" if part is None or not whole else figures.percent(part, whole, places)


@register.simple_tag
def odds(chance: float | None) -> str:
    """A chance as whole percent; nothing that lies ahead is certain."""
    return "–" if chance is None else figures.percent(min(chance, 0.99), 1)


@register.simple_tag
def bar(parts: Any, whole: float, label: str = "", style: str = "", quality: str = "") -> SafeString:
    """A capability bar: one value, or several as (value, class) pairs, of a whole."""
    pairs = parts if isinstance(parts, list | tuple) else [(parts or 0, quality)]
    rects, at = [], 0.0
    for value, kind in pairs:
        width = min(100.0 - at, 100.0 * float(value or 0) / float(whole)) if whole else 0.0
        spot = (f"{at:.2f}%", f"{max(0.0, width):.2f}%")
        rects.append((*spot, kind))
        if kind in OVERLAYS:
            rects.append((*spot, OVERLAYS[kind]))
        at += width
    if quality == "missing":
        rects = [("0", "100%", "missing")]
    drawn = format_html_join("", '<rect x="{}" width="{}" height="100%" class="{}"/>', rects)
    named = format_html('role="img" aria-label="{}"', label) if label else SafeString('aria-hidden="true"')
    return format_html('<svg class="bar {}" {}>{}</svg>', style, named, drawn)


@register.filter
def waiting(row: Any) -> str:
    """What a queued job waits for."""
    return sentences.waiting(row.reason, row.reason_facts, now_ms=now_ms())


@register.filter
def ending(row: Any) -> str:
    """Why a job ended."""
    return sentences.ending(row.reason, row.reason_facts) if row.reason else ""


@register.filter
def nodes_of(placed: Any) -> str:
    """Where it was placed, each member of it."""
    return sentences.nodes_of(placed)


@register.filter
def event_words(event: Any) -> str:
    """One line of history."""
    return sentences.event(event.name, event.facts)


@register.filter
def event_detail(event: Any) -> str:
    """Its second line."""
    return sentences.event_detail(event.name, event.facts)


@register.filter
def relaxation(change: Mapping[str, Any]) -> str:
    """A proved change as an instruction."""
    return sentences.relaxation(change)


@register.filter
def item(mapping: Mapping[str, Any], key: str) -> Any:
    """A value of a mapping by a key that is itself a variable."""
    return mapping.get(key)


@register.filter
def whole(value: float | None) -> int | None:
    """The nearest integer of a mean, in base units."""
    return None if value is None else round(value)


@register.simple_tag
def elapsed(start_ms: int | None, end_ms: int | None) -> str:
    """The time between two moments."""
    return "–" if start_ms is None or end_ms is None else times.duration(end_ms - start_ms)


@register.simple_tag
def preset(minutes: int) -> str:
    """The words of a deadline chip."""
    return _("in %(span)s") % {"span": times.duration(minutes * times.MINUTE)}


@register.simple_tag
def verdict_line(run: Any) -> str:
    """The verdict of a pipeline run in one sentence."""
    return sentences.verdict(run.verdict, run.load, run.reasons)


@register.filter
def verdict_reason(reason: Mapping[str, Any]) -> str:
    """What one threshold is called."""
    return words.word(reason.get("code", ""), "judged")


@register.simple_tag
def measure(figure: float | None, unit: str | None) -> str:
    """A figure of a load test with its unit."""
    return sentences.measure(figure, unit)
