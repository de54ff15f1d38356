"""How is one machine wired, and where does each of its figures come from?

Derived again from the facts its agent told last, with what is known of hardware now: the same
answer that placement works with, plus reasons and dates that rows of capacity do not keep.
"""

from collections.abc import Iterator, Mapping

from alldata.agent.decode import WireError, decode
from alldata.agent.wire import Device, Register
from alldata.tenancy.viewer import Viewer
from profiles.derive import derive, link_graph
from profiles.derive.devices import part_of
from profiles.hkb.lookup import Knowledge
from profiles.selectors import knowledge
from scheduling.models import Link, Node
from scheduling.selectors.answers import LinkView, NodeGraph, Provenance

#: Sources whose date is the day a fact was checked, not the moment of a measurement.
FROM_KNOWLEDGE = ("published", "overridden", "estimated")


def node_graph(viewer: Viewer, name: str) -> NodeGraph:
    """Links and provenance of a machine; empty when there is none of that name."""
    row = Node.objects.filter(name=name).first()
    if row is None:
        return NodeGraph((), {})
    try:
        message = decode(Register, row.facts)
    except WireError:  # told by an agent of another version: what was stored then is all there is
        return NodeGraph(tuple(_stored(link) for link in row.links.order_by("kind", "a", "b")), {})
    known = knowledge()
    links = (
        LinkView(link.kind, link.a, link.b, link.bandwidth.value, link.bandwidth.quality, link.attributes)
        for link in link_graph(message, known)
    )
    return NodeGraph(tuple(links), dict(_provenance(message, known)))


def _stored(link: Link) -> LinkView:
    quality = "missing" if link.capacity_bytes_per_s is None else "measured"
    return LinkView(link.kind, link.a, link.b, link.capacity_bytes_per_s, quality, {})


def _provenance(message: Register, known: Knowledge) -> Iterator[tuple[tuple[str, str], Provenance]]:
    """(device, dimension) -> why and since when."""
    told: Mapping[str, Device] = {device.uuid: device for device in message.devices}
    for device in derive(message, known):
        reported = told[device.uuid]
        part = part_of(reported, known)
        for name, capacity in device.capacities.items():
            fact = part.facts.get(name) if part and capacity.source in FROM_KNOWLEDGE else None
            own = reported.capacities.get(name)
            yield (
                (device.uuid, name),
                Provenance(
                    reason=capacity.reason or "",
                    origin=fact.origin if fact else "",
                    checked=fact.checked if fact else "",
                    at_ms=own.at_ms if own and capacity.source not in FROM_KNOWLEDGE else None,
                ),
            )
