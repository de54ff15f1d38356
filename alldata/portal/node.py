"""What is really in this machine, how is it wired, what is wrong and what is not known? And one device of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from alldata.kernel.clock import now_ms
from alldata.portal.ailments import ailment, gap
from alldata.portal.node_parts import IMPORTED, bus_of, groups_of, is_sick, known_of, sick, unknowns
from alldata.portal.ramp import RAMP
from alldata.portal.topology import draw
from alldata.tenancy.pages import PageRequest, page
from alldata.tenancy.viewer import Viewer
from alldata.web.htmx import fragment
from monitoring.selectors.live import live
from scheduling.selectors.answers import DeviceView, LinkView, NodeView
from scheduling.selectors.inventory import device as device_of
from scheduling.selectors.inventory import nodes as all_nodes
from scheduling.selectors.topology import node_graph

SILENT_MS = 30_000
VIEWS = ("topology", "table")


@require_GET
@page
def node(request: PageRequest, name: str) -> HttpResponse:
    """The machine, drawn or as a table; `sel` is the device in the panel."""
    context = _machine(request.viewer, name)
    view = request.GET.get("view")
    context["view"] = view if view in VIEWS else VIEWS[0]
    found: NodeView = context["node"]
    wanted = request.GET.get("sel", "")
    chosen = next((d for d in found.devices if d.uuid == wanted), None) or _worth_seeing(found)
    context["chosen"] = _panel(chosen, context) if chosen else None
    return render(request, "monitoring/node.html", context)


@require_GET
@page
def load(request: PageRequest, name: str) -> HttpResponse:
    """The drawing alone, with the loads of this moment."""
    return fragment(request, "monitoring/_topology.html", _machine(request.viewer, name) | {"swap": True})


@require_GET
@page
def device(request: PageRequest, uuid: str) -> HttpResponse:
    """One device by itself."""
    found = device_of(request.viewer, uuid)
    context = _machine(request.viewer, found.node)
    near = [link for link in context["graph"].links if uuid in (link.a, link.b)]
    names = {d.uuid: d for d in context["node"].devices}
    ends = [(link, names.get(link.b if link.a == uuid else link.a)) for link in near]
    return render(request, "monitoring/device.html", context | _panel(found, context) | {"ends": ends})


def _machine(viewer: Viewer, name: str) -> dict[str, Any]:
    found = next(iter(all_nodes(viewer, name=name)), None)
    if found is None:
        raise Http404
    now = now_ms()
    graph = node_graph(viewer, name)
    values = {(v.device, v.dimension): v for v in live(viewer, now_ms=now, node=name)}
    imported = found.engine == IMPORTED
    return {
        "node": found,
        "graph": graph,
        "values": values,
        "imported": imported,
        "silent": not imported and now - found.seen_ms > SILENT_MS,
        "drawing": draw(found.devices, graph.links, values),
        "groups": groups_of(found, graph, values),
        "sick": sick(found.devices),
        "unknown": unknowns(found.devices, graph),
        "gaps": [gap(code) for code in found.facts.get("gaps", []) if code != "imported_from_files"],
        "facts": found.facts,
        "ramp": list(enumerate(RAMP)),
        "links": _links(found, graph.links),
    }


def _worth_seeing(found: NodeView) -> DeviceView | None:
    """The first that is ill, else the first card, else anything."""
    rank = {"gpu": 0, "storage": 1, "cpu": 2}
    ordered = sorted(found.devices, key=lambda d: (not is_sick(d), rank.get(d.type, 3)))
    return ordered[0] if ordered else None


def _panel(device: DeviceView, context: Mapping[str, Any]) -> dict[str, Any]:
    known = known_of(device, context["graph"], context["values"])
    return {
        "device": device,
        "known": known,
        "missing": sum(one.missing is not None for one in known),
        "cause": ailment(device.degraded_reason or "unhealthy", bus_of(device)) if is_sick(device) else None,
        "attributes": sorted(device.attributes.items()),
    }


def _links(found: NodeView, links: Sequence[LinkView]) -> list[tuple[LinkView, str, str]]:
    """Connections with the names of their ends."""
    names = {d.uuid: d.name for d in found.devices}
    return [(link, names.get(link.a, link.a), names.get(link.b, link.b)) for link in links]
