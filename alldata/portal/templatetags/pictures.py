"""Pictures of money that are not bars: a treemap of the parts, a line of the days beside an amount."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from alldata.portal import figures, words
from alldata.portal.treemap import HEIGHT, WIDTH, Tile, tiles

register = template.Library()
#: A tile smaller than this (percent across, percent down) says its name on hover only.
ROOM = (9.0, 17.0)
SPARK = (76, 22)


@register.simple_tag
def treemap(lines: Any, currency: str, query: str = "") -> SafeString:
    """The lines as tiles; each is a link where it leads deeper, and says its name, amount and share."""
    drawn = tiles([line.nano for line in lines])
    body = format_html_join("", "{}", ((_tile(tile, lines[tile.index], currency, query),) for tile in drawn))
    summary = _("%(n)s parts by area, the largest first") % {"n": len(drawn)}
    return format_html('<svg class="treemap" role="group" aria-label="{}">{}</svg>', summary, body)


def _tile(tile: Tile, line: Any, currency: str, query: str) -> SafeString:
    x, y = 100 * tile.x / WIDTH, 100 * tile.y / HEIGHT
    width, height = 100 * tile.width / WIDTH, 100 * tile.height / HEIGHT
    box = [f"{part:.3f}" for part in (x, y, width, height)]
    name, share = name_of(line), f"{line.permille / 10:.1f}{figures.THIN}%"
    label = mark_safe("")
    if width >= ROOM[0] and height >= ROOM[1]:
        label = format_html(
            '<svg x="{}%" y="{}%" width="{}%" height="{}%"><text x="10" y="22">{}</text>'
            '<text x="10" y="40" class="dim">{} · {}</text></svg>',
            *box, name, line.shown, share,
        )  # fmt: skip
    kind = f"c-{line.key}" if line.word == "capability" and line.key else "plain"
    said = f"{name}: {line.shown} ({share})"
    shape = format_html(
        '<g class="{}"><rect x="{}%" y="{}%" width="{}%" height="{}%"><title>{}</title></rect>{}</g>',
        kind, *box, said, label,
    )  # fmt: skip
    return format_html('<a href="{}{}" aria-label="{}">{}</a>', line.url, query, said, shape) if line.url else shape


def name_of(line: Any) -> str:
    """What the tile is called."""
    if line.word:
        return words.word(line.key, line.word)
    return line.label or _("Everything else")


@register.simple_tag
def spark(values: Any) -> SafeString:
    """One amount a day from zero to the highest, the last one marked; nothing for fewer than two days."""
    days = list(values)
    most = max(days, default=0)
    if len(days) < 2 or not most:
        return mark_safe("")
    wide, high = SPARK[0] - 4, SPARK[1] - 4
    points = [(2 + wide * i / (len(days) - 1), 2 + high * (1 - max(0, v) / most)) for i, v in enumerate(days)]
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    last = points[-1]
    return format_html(
        '<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}"><path class="area" d="M2 {}L{}L{} {}Z"/>'
        '<path class="line" d="M{}"/><circle class="last" cx="{}" cy="{}" r="2"/></svg>',
        *SPARK, _("day by day, %(n)s days") % {"n": len(days)}, SPARK[1] - 2, line, f"{last[0]:.1f}", SPARK[1] - 2,
        line, f"{last[0]:.1f}", f"{last[1]:.1f}",
    )  # fmt: skip
