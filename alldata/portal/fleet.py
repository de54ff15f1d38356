"""What can the machines give, and what are they doing? The capability heatmap and the nodes."""

from base64 import b64encode
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from alldata.kernel.clock import now_ms
from alldata.portal.figures import amount
from alldata.portal.node import SILENT_MS
from alldata.portal.node_parts import IMPORTED, is_sick
from alldata.portal.ramp import RAMP
from alldata.portal.words import word
from alldata.tenancy.pages import PageRequest, page
from alldata.web.htmx import fragment
from alldata.web.middleware import allow_inline_styles
from monitoring.selectors.live import LiveValue, live
from monitoring.selectors.livemap import LiveMap, live_map
from scheduling.selectors.inventory import nodes as all_nodes

#: Of more cells than these the table shows the fullest.
MOST_ROWS = 400


def _summary(seen: LiveMap) -> dict[str, Any]:
    return {
        "devices": len(seen.columns),
        "nodes": len({node for node, _device in seen.columns}),
        "working": seen.working,
        "at_limit": seen.at_limit,
        "measured": seen.measured,
        "missing": seen.missing,
        "cells": seen.shown,
        "oldest_ms": seen.oldest_ms,
        "many": seen.shown > MOST_ROWS,
    }


def _table(request: PageRequest) -> dict[str, Any]:
    """Every cell, or the fullest of very many."""
    values = live(request.viewer, now_ms=now_ms())
    if len(values) > MOST_ROWS:
        fullest = sorted(values, key=lambda value: -1.0 if value.percent is None else value.percent)[-MOST_ROWS:]
        values = sorted(fullest, key=lambda value: (-(value.percent or 0.0), value.node, value.device, value.dimension))
    return {"values": values, "rows": len(values)}


@require_GET
@gzip_page
@page
def heatmap(request: PageRequest) -> HttpResponse:
    """Capabilities by devices; plotly draws where it runs, the table is always there."""
    view = "table" if request.GET.get("view") == "table" else "map"
    context = _summary(live_map(request.viewer, now_ms=now_ms()))
    context |= {"view": view, "ramp": list(enumerate(RAMP)), "columns": context["devices"]}
    if view == "table" or not context["many"]:
        context |= _table(request)
    return allow_inline_styles(render(request, "monitoring/heatmap.html", context))


@require_GET
@page
def heatmap_table(request: PageRequest) -> HttpResponse:
    """Tiles and table, refreshed in place."""
    context = _summary(live_map(request.viewer, now_ms=now_ms())) | _table(request)
    return fragment(request, "monitoring/_heatmap_table.html", context | {"swap": True})


@require_GET
@gzip_page
@page
def cells(request: PageRequest) -> HttpResponse:
    """The grid as bytes (monitoring/heatmap.py), and what its rows and columns are called unless the reader knows."""
    seen = live_map(request.viewer, now_ms=now_ms())
    body: dict[str, Any] = {
        "stamp": seen.stamp,
        "cells": b64encode(seen.cells).decode(),
        "proxy": b64encode(seen.proxy).decode(),
        "oldest_ms": seen.oldest_ms,
    }
    if request.GET.get("stamp") != seen.stamp:
        body["y"] = [word(name, "capability") for name in seen.rows]
        body["x"] = labels(seen.columns)
    return JsonResponse(body, headers={"Cache-Control": "no-store"})


@require_GET
@page
def cell(request: PageRequest) -> HttpResponse:
    """What is behind one cell: amounts, quality and source. An old layout answers with nothing."""
    seen, at = live_map(request.viewer, now_ms=now_ms()), request.GET.get("at", "")
    text = ""
    if request.GET.get("stamp") == seen.stamp and at.isdecimal() and int(at) < len(seen.cells):
        row, column = divmod(int(at), len(seen.columns))
        node, device = seen.columns[column]
        found = [v for v in live(request.viewer, now_ms=now_ms(), node=node) if v.device == device]
        text = next((f"{node}, {_said(v)}" for v in found if v.dimension == seen.rows[row]), "")
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


def labels(columns: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Node by node, the names of its devices: as short as they stay different."""
    found: list[tuple[str, list[str]]] = []
    for node, group in groupby(columns, key=itemgetter(0)):
        whole = [device.removeprefix(f"{node}/") for _node, device in group]
        short = [name[:12] if name.startswith("GPU-") else name for name in whole]
        found.append((node, short if len(set(short)) == len(short) else whole))
    return found


def _said(value: LiveValue) -> str:
    name = word(value.dimension, "capability")
    if value.value is None:
        return f"{name}: {word('missing', 'quality')}, {(value.reason or '').replace('_', ' ')}"
    whole = f" / {amount(value.capacity, value.dimension)}" if value.capacity else ""
    known = f"{word(value.quality, 'quality')}, {word(value.source, 'quality')}"
    return f"{name} {amount(value.value, value.dimension)}{whole}, {known}"


@require_GET
@page
def nodes(request: PageRequest) -> HttpResponse:
    """Every machine in a line."""
    now = now_ms()
    rows = [
        {
            "node": node,
            "imported": node.engine == IMPORTED,
            "silent": node.engine != IMPORTED and now - node.seen_ms > SILENT_MS,
            "sick": [device for device in node.devices if is_sick(device)],
        }
        for node in all_nodes(request.viewer)
    ]
    return render(request, "monitoring/nodes.html", {"rows": rows})
