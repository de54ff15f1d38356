"""Can this be planned with at all? Numbers that are no amounts are kept away from the arithmetic.

A device with such a number is unusable and says so; a request with one is refused by the rule
`invalid`; both leave all others as they are. Only what contradicts itself (one name for two things) is
an error. The bound keeps every product in 64 bits: 9 PB, or 9 PB/s.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from alldata.kernel.errors import Invalid
from scheduling.crater.model import Constraint, Device, Need, Node, Price, Refusal, Request, Shortfall, Snapshot

MOST = 2**53
MOST_MS = 2**62
MOST_DEVICES = 100_000
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
    nodes = tuple(_node(node) for node in _once("node", ((n.name, n) for n in snapshot.nodes)))
    names = [device.uuid for node in nodes for device in node.devices]
    if len(set(names)) < len(names):
        raise BadSnapshot("device", next(name for name, times in Counter(names).items() if times > 1))
    for price in snapshot.prices:
        _check_price(price)
    if all(one is other for one, other in zip(nodes, snapshot.nodes, strict=False)) and len(nodes) == len(
        snapshot.nodes
    ):
        return snapshot
    return replace(snapshot, nodes=nodes)


def sifted(queue: Iterable[Request]) -> tuple[list[Request], list[Refusal]]:
    """Requests that can be planned, each once, and the refusals of the others."""
    fine, refused = list[Request](), list[Refusal]()
    known: dict[int, Shortfall | None] = {}  # equal needs are mostly the same object
    for request in _once("job", ((r.job, r) for r in queue)):
        needs = id(request.needs)
        if needs not in known:
            known[needs] = next(_of_needs(request.needs), None)
        fault = known[needs] or next(_of_times(request), None)
        if fault is None:
            fine.append(request)
        else:
            refused.append(Refusal(request.job, False, {"invalid": 1}, fault, (fault,)))
    return fine, sorted(refused, key=lambda refusal: refusal.job)


def _once(what: str, named: Iterable[tuple[Hashable, T]]) -> Iterator[T]:
    known: dict[Hashable, T] = {}
    for name, thing in named:
        if name not in known:
            known[name] = thing
            yield thing
        elif known[name] != thing:
            raise BadSnapshot(what, str(name))


def _node(node: Node) -> Node:
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
        numa_node=numa,
        usable=False,
        unusable_reason=device.unusable_reason or REASON,
    )


def _check_price(price: Price) -> None:
    if not isinstance(price.rate_nano_per_hour, int) or price.rate_nano_per_hour < 0:
        raise BadSnapshot("price", f"{price.device} {price.dimension}")


def _of_times(request: Request) -> Iterator[Shortfall]:
    told = {"submitted_ms": request.submitted_ms, "priority": request.priority}
    optional = {"deadline_ms": request.deadline_ms, "cap_nano": request.cap_nano}
    if request.runtime is not None:
        told |= {"p50_ms": request.runtime.p50_ms, "p90_ms": request.runtime.p90_ms}
    for name, value in (told | {name: value for name, value in optional.items() if value is not None}).items():
        if not isinstance(value, int) or abs(value) > MOST_MS:
            yield _fault("", name, value, MOST_MS)


def _of_needs(needs: Sequence[Need]) -> Iterator[Shortfall]:
    if not needs:
        yield _fault("", "needs", 0, "at least one")
    for need in needs:
        yield from _of_need(need)


def _of_need(need: Need) -> Iterator[Shortfall]:
    if not isinstance(need.count, int) or not 1 <= need.count <= MOST_DEVICES:
        yield _fault(need.type, "count", need.count, MOST_DEVICES)
    for amounts in (need.amounts, need.shares):
        yield from _of_amounts(need.type, amounts)
    for rule in need.constraints:
        if rule.op == "regex" and not _is_pattern(rule):
            yield _fault(need.type, rule.attribute, rule.value, "a regular expression")


def _of_amounts(kind: str, amounts: Mapping[str, int]) -> Iterator[Shortfall]:
    for name, value in amounts.items():
        if not isinstance(value, int) or not 0 <= value <= MOST:
            yield _fault(kind, name, value, MOST)


def _is_pattern(rule: Constraint) -> bool:
    try:
        re.compile(str(rule.value))
    except re.error:
        return False
    return True


def _fault(kind: str, name: str, value: object, most: int | str) -> Shortfall:
    """`need` is what would be accepted, `have` what was given."""
    return Shortfall("invalid", "", None, kind, name, most, repr(value)[:80])
