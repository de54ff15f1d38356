"""What does an hour of each device cost, as the planner sees it?

Prices follow from what devices are and can give, not from what is left of them: a machine is asked for again when
that has changed, or the edition of the price list. Platform-internal: no viewer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduling.crater.model import Node, Price
from scheduling.ports import PriceQuotes


@dataclass(frozen=True, slots=True)
class _Known:
    """The prices of one machine."""

    edition: str
    node: Node
    prices: tuple[Price, ...]


_known: dict[str, _Known] = {}


def prices_of(nodes: Sequence[Node], *, quotes: PriceQuotes) -> tuple[Price, ...]:
    """Prices of all devices that have one, machine by machine."""
    edition = quotes.edition()
    unknown = [node for node in nodes if not _is_known(node, edition)]
    asked: dict[str, list[Price]] = {device.uuid: [] for node in unknown for device in node.devices}
    for rate in quotes.rates(list(asked)) if asked else ():
        asked[rate.device].append(Price(rate.device, rate.dimension, rate.nano_per_hour))
    for node in unknown:
        found = tuple([price for device in node.devices for price in asked[device.uuid]])
        _known[node.name] = _Known(edition, node, found)
    return tuple([price for node in nodes for price in _known[node.name].prices])


def _is_known(node: Node, edition: str) -> bool:
    known = _known.get(node.name)
    return known is not None and known.edition == edition and (known.node is node or _gives(known.node) == _gives(node))


def _gives(node: Node) -> list[object]:
    return [(device.uuid, device.type, device.capacity, device.attributes) for device in node.devices]
