"""Drawings of money: stacked bars with held-not-used hatched and provisional striped, shares that sum."""

from fractions import Fraction
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from alldata.portal import advice_words, figures, times, words
from alldata.portal.templatetags.alldata import bar
from alldata.portal.templatetags.drawing import segments

register = template.Library()
BUCKETS = {"used": "used", "held": "allocated_idle", "unmetered": "unmetered"}


@register.simple_tag
def permille(share: int) -> str:
    """A share in tenths of a percent, as it was rounded together with the others."""
    return f"{share / 10:.1f}{figures.THIN}%"


@register.simple_tag
def use_bar(amounts: Any) -> SafeString:
    """Used, then held and not used (hatched), of what was held."""
    held = amounts.used_nano + amounts.idle_nano + amounts.unmetered_nano
    parts = [(amounts.used_nano, ""), (amounts.idle_nano + amounts.unmetered_nano, "missing")]
    text = figures.percent(amounts.used_nano, held) if held else "–"
    return format_html(
        '<div class="meter"><span>{}</span><span class="num">{}</span></div>', bar(parts, held or 1), text
    )


@register.simple_tag
def line_segments(lines: Any, total: int) -> SafeString:
    """The lines side by side."""
    return segments([(line.key, line.nano) for line in lines], total)


@register.filter
def day(key: str) -> str:
    """A UTC day in a table."""
    return f"{times.local(int(key)):%Y-%m-%d}"


def _named(kind: str) -> str:
    return words.word(BUCKETS[kind], "bucket") if kind in BUCKETS else words.word(kind, "capability")


@register.simple_tag
def stacked(chart: Any, currency: str) -> SafeString:
    """The columns as SVG: percent across, so that it needs no script to fit; each part says what it is."""
    drawn = []
    for column in chart.columns:
        parts = format_html_join(
            "",
            '<rect class="{}" x="{}%" y="{}" width="{}%" height="{}"><title>{} · {}: {}</title></rect>',
            (
                (
                    kind_class(part.kind), column.x, part.y, column.width, part.height, column.label,
                    _named(part.kind), figures.money(part.nano, currency),
                )
                for part in column.segments
                if part.nano
            ),
        )  # fmt: skip
        over = ""
        if column.provisional:
            over = format_html(
                '<rect class="stripes" x="{}%" y="{}" width="{}%" height="{}"/>',
                column.x, column.top, column.width, round(chart.floor - column.top, 2),
            )  # fmt: skip
        label = (
            format_html('<text x="{}%" y="{}" class="mid">{}</text>', column.middle, chart.height - 5, column.label)
            if column.labelled
            else ""
        )
        drawn.append((parts, over, label))
    body = format_html_join("", "{}{}{}", drawn)
    most = figures.money(chart.most_nano, currency)
    summary = _("%(n)s bars, the highest %(most)s") % {"n": len(chart.columns), "most": most}
    return format_html(
        '<svg class="money-bars" height="{}" role="img" aria-label="{}"><path class="grid" d="M0 8H4000"/>'
        '<path class="grid" d="M0 {}H4000"/>{}<text x="0" y="20">{}</text></svg>',
        chart.height, summary, chart.floor, body, most,
    )  # fmt: skip


def kind_class(kind: str) -> str:
    """A capability's own colour, or the look of a bucket."""
    return kind if kind in BUCKETS else f"c-{kind}"


@register.simple_tag
def change(share: int | None) -> str:
    """A change in tenths of a percent with its sign; a dash where there was nothing before."""
    if share is None:
        return "–"
    sign = "+" if share > 0 else figures.MINUS if share < 0 else ""
    return f"{sign}{abs(share) / 10:.1f}{figures.THIN}%"


@register.simple_tag
def change_of(before: int, after: int) -> str:
    """From one amount to another."""
    return change(round(1000 * (after - before) / before) if before else None)


@register.simple_tag
def unit_rate(nano: int | Fraction, currency: str) -> str:
    """A price keeps four digits."""
    return figures.unit_price(nano, currency)


@register.simple_tag
def budget_bar(view: Any) -> SafeString:
    """Spent solid, set aside striped, of the limit."""
    tone = "over" if view.spent_nano > view.limit_nano else ""
    label = _("%(share)s of the budget is spent") % {"share": figures.percent(view.spent_nano, view.limit_nano, 1)}
    return bar([(view.spent_nano, tone), (view.reserved_nano, "soft")], view.limit_nano, label)


@register.simple_tag
def hint_words(hint: Any, currency: str) -> str:
    """What a finding of the advice says."""
    return advice_words.title(hint, currency)


@register.simple_tag
def hint_detail(hint: Any, currency: str) -> str:
    """Its second line: the saving, or the room of the others."""
    return advice_words.detail(hint, currency)
