"""Can this cluster be planned with? Numbers that are no amounts are kept away from the arithmetic.

A device with such a number is unusable and says so; all others stay as they are. Only what contradicts
itself (one name for two things) is an error. The bound keeps every product in 64 bits: 9 PB, or 9 PB/s.
Requests: askable.py.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from alldata.kernel.errors import Invalid
from scheduling.crater.model import Device, Node, Price, Snapshot

MOST = 2**53
REASON = "invalid_value"
_KINDS = frozenset({int, bool})
T = TypeVar("T")


class BadSnapshot(Invalid):
    """Two different things of one name, or a price that is none: (what, its name)."""

    code = "bad_snapshot"

    def __init__(self, what: str, name: str) -> None:
        super().__init__(what, name)
        self.what, self.name = what, name

    def __str__(self) -> str:
        return f"{self.what} {self.name} contradicts itself"


def sound(snapshot: Snapshot) -> Snapshot:
    """The snapshot without repetitions, and with its impossible devices unusable. Errors: BadSnapshot."""
    nodes = tuple(sound_node(node) for node in once("node", ((n.name, n) for n in snapshot.nodes)))
    check_names(nodes)
    for price in snapshot.prices:
        check_price(price)
    if all(one is other for one, other in zip(nodes, snapshot.nodes, strict=False)) and len(nodes) == len(
        snapshot.nodes
    ):
        return snapshot
    return replace(snapshot, nodes=nodes)


def once(what: str, named: Iterable[tuple[Hashable, T]]) -> Iterator[T]:
    """Each named thing once. Errors: BadSnapshot, when one name stands for two."""
    known: dict[Hashable, T] = {}
    for name, thing in named:
        if name not in known:
            known[name] = thing
            yield thing
        elif known[name] != thing:
            raise BadSnapshot(what, str(name))


def check_names(nodes: Iterable[Node]) -> None:
    """No device is on two machines. Errors: BadSnapshot."""
    names = [device.uuid for node in nodes for device in node.devices]
    if len(set(names)) < len(names):
        raise BadSnapshot("device", next(name for name, times in Counter(names).items() if times > 1))


def sound_node(node: Node) -> Node:
    """The machine, its impossible devices unusable."""
    if all(_is_sound(device) for device in node.devices):
        return node
    return replace(node, devices=tuple(d if _is_sound(d) else _blocked(d) for d in node.devices))


def _is_sound(device: Device) -> bool:
    numa = device.numa_node
    if not _are_amounts(device.capacity) or not (numa is None or isinstance(numa, int)):
        return False
    if device.free is not device.capacity and not _are_amounts(device.free):
        return False
    return not device.cpus or set(map(type, device.cpus)) == {int}


def _are_amounts(amounts: Mapping[str, int]) -> bool:
    values = amounts.values()
    return not values or (_KINDS.issuperset(map(type, values)) and min(values) >= 0 and max(values) <= MOST)


def _blocked(device: Device) -> Device:
    numa = device.numa_node if isinstance(device.numa_node, int) else None
    return replace(
        device,
        capacity={},
        free={},
        cpus=(),
        pins=False,
        numa_node=numa,
        usable=False,
        unusable_reason=device.unusable_reason or REASON,
    )


def check_price(price: Price) -> None:
    """A rate is an amount. Errors: BadSnapshot."""
    if not isinstance(price.rate_nano_per_hour, int) or price.rate_nano_per_hour < 0:
        raise BadSnapshot("price", f"{price.device} {price.dimension}")
