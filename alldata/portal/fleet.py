"""What can the machines give, and what are they doing? The capability heatmap and the nodes."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
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
from profiles.dimensions import ADDITIVE
from scheduling.selectors.inventory import nodes as all_nodes

HOT, WARM = 95.0, 60.0


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows are capabilities, columns are devices; a cell is None where it cannot exist."""

    dimensions: list[str]
    columns: list[tuple[str, str]]  # node, device
    cells: list[list[LiveValue | None]]


def grid_of(values: list[LiveValue]) -> Grid:
    """Live values as a grid; empty rows and columns are left out."""
    found = {(v.dimension, v.device): v for v in values}
    dimensions = [name for name in ADDITIVE if any(v.dimension == name for v in values)]
    columns = sorted({(v.node, v.device) for v in values})
    cells = [[found.get((name, device)) for _node, device in columns] for name in dimensions]
    return Grid(dimensions, columns, cells)


def _summary(values: list[LiveValue]) -> dict[str, Any]:
    known = [v for v in values if v.percent is not None]
    measured = sum(v.quality == "measured" for v in values)
    ages = [v.age_ms for v in values if v.age_ms is not None]
    return {
        "devices": len({v.device for v in values}),
        "nodes": len({v.node for v in values}),
        "working": len({v.device for v in known if (v.percent or 0) >= 5}),
        "at_limit": sum((v.percent or 0) >= HOT for v in known),
        "measured": measured,
        "missing": sum(v.value is None for v in values),
        "cells": len(values),
        "oldest_ms": max(ages, default=None),
    }


def _context(request: PageRequest) -> dict[str, Any]:
    values = live(request.viewer, now_ms=now_ms())
    grid = grid_of(values)
    return {"values": values, "columns": grid.columns, "ramp": list(enumerate(RAMP)), **_summary(values)}


@require_GET
@page
def heatmap(request: PageRequest) -> HttpResponse:
    """Capabilities by devices; plotly draws where it runs, the table is always there."""
    view = "table" if request.GET.get("view") == "table" else "map"
    response = render(request, "monitoring/heatmap.html", _context(request) | {"view": view})
    return allow_inline_styles(response)


@require_GET
@page
def heatmap_table(request: PageRequest) -> HttpResponse:
    """Tiles and table, refreshed in place."""
    return fragment(request, "monitoring/_heatmap_table.html", _context(request) | {"swap": True})


@require_GET
@page
def cells(request: PageRequest) -> HttpResponse:
    """The grid as numbers for the drawing: percent or null, and the text behind each cell."""
    values = live(request.viewer, now_ms=now_ms())
    grid = grid_of(values)
    body = {
        "x": [f"{node}<br>{device.removeprefix(node + '/')}" for node, device in grid.columns],
        "y": [word(name, "capability") for name in grid.dimensions],
        "z": [[v.percent if v else None for v in row] for row in grid.cells],
        "missing": [[v is not None and v.percent is None for v in row] for row in grid.cells],
        "proxy": [[v is not None and v.quality == "proxy" for v in row] for row in grid.cells],
        "text": [[_hover(v) if v else "" for v in row] for row in grid.cells],
        "oldest_ms": _summary(values)["oldest_ms"],
    }
    return JsonResponse(body, headers={"Cache-Control": "no-store"})


def _hover(value: LiveValue) -> str:
    name = word(value.dimension, "capability")
    if value.value is None:
        return f"<b>{name}</b><br>{word('missing', 'quality')}: {(value.reason or '').replace('_', ' ')}"
    whole = f" / {amount(value.capacity, value.dimension)}" if value.capacity else ""
    known = f"{word(value.quality, 'quality')}, {word(value.source, 'quality')}"
    return f"<b>{name}</b> {amount(value.value, value.dimension)}{whole}<br>{known}"


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
