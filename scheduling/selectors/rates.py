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
#: The last answer, and the prices of each machine that it was made of.
_told: list[tuple[list[tuple[Price, ...]], tuple[Price, ...]]] = [([], ())]


def prices_of(nodes: Sequence[Node], *, quotes: PriceQuotes) -> tuple[Price, ...]:
    """Prices of all devices that have one, machine by machine; the same object while they stay the same."""
    edition = quotes.edition()
    unknown = [node for node in nodes if not _is_known(node, edition)]
    asked: dict[str, list[Price]] = {device.uuid: [] for node in unknown for device in node.devices}
    for rate in quotes.rates(list(asked)) if asked else ():
        asked[rate.device].append(Price(rate.device, rate.dimension, rate.nano_per_hour))
    for node in unknown:
        found = tuple([price for device in node.devices for price in asked[device.uuid]])
        _known[node.name] = _Known(edition, node, found)
    parts = [_known[node.name].prices for node in nodes]
    if parts != _told[0][0]:
        _told[0] = parts, tuple([price for part in parts for price in part])
    return _told[0][1]


def _is_known(node: Node, edition: str) -> bool:
    known = _known.get(node.name)
    if known is None or known.edition != edition:
        return False
    if known.node is not node:
        if _gives(known.node) != _gives(node):
            return False
        _known[node.name] = _Known(edition, node, known.prices)
    return True


def _gives(node: Node) -> list[object]:
    return [(device.uuid, device.type, device.capacity, device.attributes) for device in node.devices]
