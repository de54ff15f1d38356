"""The parts of the drawing of a machine as SVG: wires, names that fit their box, bars of load."""

import re
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from alldata.portal import figures, words
from alldata.portal.ailments import ailment
from alldata.portal.ramp import RAMP

register = template.Library()
NAME_FITS, MODEL_FITS = 14, 13
OURS = re.compile(r"^numa\d+ |^NVIDIA card ")


@register.simple_tag
def topology_summary(node: Any, drawing: Any) -> str:
    """One sentence in place of the drawing."""
    counts: dict[str, int] = {}
    for box in drawing.boxes:
        counts[box.device.type] = counts.get(box.device.type, 0) + 1
    parts = ", ".join(f"{count} {words.word(kind, 'type')}" for kind, count in counts.items())
    return _("Topology of %(node)s: %(parts)s") % {"node": node.name, "parts": parts or _("no data")}


@register.simple_tag
def wire(one: Any) -> SafeString:
    """A connection: an edge below, its load above; dashed where nobody knows the load."""
    title = words.word(one.kind, "link") if one.kind != "rail" else "PCIe"
    if one.capacity:
        title += f" {figures.amount(one.capacity, 'pcie_bandwidth')}"
    if one.load is not None:
        title += f", {figures.percent(one.load, 100)}"
    label = format_html('<text x="{}" y="{}" class="dim mid">{}</text>', one.x, one.y, one.label) if one.label else ""
    known = one.load is not None
    over = (
        format_html('<path class="load" d="{}" stroke-width="{}" stroke="{}"/>', one.path, one.width, _heat(one.load))
        if known
        else format_html('<path class="unknown" d="{}" stroke-width="{}"/>', one.path, one.width)
    )
    edge = format_html('<path class="edge" d="{}" stroke-width="{}"/>', one.path, one.width + 1.5) if known else ""
    return format_html('<g class="wire {}"><title>{}</title>{}{}{}</g>', one.kind, title, edge, over, label)


def _heat(percent: float) -> str:
    return RAMP[min(9, int(percent / 10))]


@register.simple_tag
def box_bars(box: Any) -> SafeString:
    """One line of load a capability, at the foot of the box; hatched where there is no data."""
    wide, top = box.w - 16, box.y + box.h - 8 * len(box.rows) - 3
    drawn = []
    for index, (name, percent, quality) in enumerate(box.rows):
        y = top + 8 * index
        fill = "missing" if percent is None else quality
        width = wide if percent is None else max(1.0, round(wide * percent / 100, 1))
        drawn.append((name, box.x + 8, y, wide, box.x + 8, y, width, fill))
    return format_html_join(
        "",
        '<g class="load-bar c-{}"><rect class="track" x="{}" y="{}" width="{}" height="4" rx="2"/>'
        '<rect x="{}" y="{}" width="{}" height="4" rx="2" class="{}"/></g>',
        drawn,
    )


@register.filter
def short_bus(address: str) -> str:
    """0000:3a:00.0 -> 3a:00.0; the domain is told only when it is not 0."""
    return address.removeprefix("0000:")


@register.filter
def short_name(device: Any) -> str:
    """What fits into the box."""
    if device.type == "cpu":
        return _("%(n)s cores") % {"n": len(device.cpus) or "?"}
    if device.type == "memory":
        size = next((d.capacity for d in device.dimensions if d.name == "memory_bytes"), None)
        return figures.size(size) if size else words.word("memory", "type")
    name = OURS.sub("", device.name)
    return name if len(name) <= NAME_FITS else name[: NAME_FITS - 1] + "…"


@register.filter
def short_model(device: Any) -> str:
    """The product without its maker, as far as it fits."""
    text = (
        str(device.attributes.get("product") or device.model)
        .removeprefix("NVIDIA ")
        .removeprefix("Tesla ")
        .replace("-", " ")
    )
    return text if len(text) <= MODEL_FITS else text[: MODEL_FITS - 1] + "…"


@register.filter
def ailing(device: Any) -> str:
    """What a degraded device suffers from, in words."""
    return ailment(device.degraded_reason or "unhealthy", device.uuid).title
