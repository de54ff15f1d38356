"""What does an hour of each device cost, as the planner sees it?

Prices follow from a device's kind and capacity, so those of a machine that is unchanged (supply.py) under the same
edition of the price list are remembered. Platform-internal: no viewer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduling.crater.model import Device, Node, Price
from scheduling.ports import Offer, PriceQuotes


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
    for rate in quotes.rates([_offer(device) for node in unknown for device in node.devices]) if asked else ():
        asked[rate.device].append(Price(rate.device, rate.dimension, rate.nano_per_hour))
    for node in unknown:
        found = tuple([price for device in node.devices for price in asked[device.uuid]])
        _known[node.name] = _Known(edition, node, found)
    return tuple([price for node in nodes for price in _known[node.name].prices])


def _is_known(node: Node, edition: str) -> bool:
    known = _known.get(node.name)
    return known is not None and known.node is node and known.edition == edition


def _offer(device: Device) -> Offer:
    return Offer(device.uuid, device.type, str(device.attributes.get("model", "")), device.capacity)
