"""May this need be met by this device? Every "no" is a Shortfall with its numbers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from profiles.dimensions import BY_NAME
from scheduling.crater.model import Attribute, Constraint, Device, Need, Shortfall
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import CARRIED, sent
from scheduling.crater.vector import CORE, CPU, asked, ceil_div, isolates, names_cores, wanted


def unit_of(name: str | None) -> str:
    """The base unit of a dimension, "" for anything else."""
    dimension = BY_NAME.get(name or "")
    return dimension.unit if dimension else ""


def passes(need: Need, device: Device, state: Occupancy, above: Sequence[Device] = ()) -> bool:
    """True when nothing stands in the way."""
    return next(failures(need, device, state, "", above), None) is None


def failures(
    need: Need, device: Device, state: Occupancy, node: str, above: Sequence[Device] = ()
) -> Iterator[Shortfall]:
    """Each rule that turns this device down: health, constraints, amounts, then the links above it."""
    if not device.usable:
        yield _unusable(device, node)
    for rule in need.constraints:
        have = value_of(device, rule.attribute)
        if not holds(rule, have):
            yield _unmet(rule, have, device, node)
    free = state.free(device)
    for name, amount in asked(need, device).items():
        for shortfall in _too_little(name, amount, free.get(name), device, node):
            yield _not_shared(shortfall) if _is_held_back(shortfall, need, device) else shortfall
    yield from _too_few_cores(need, device, state, node)
    amount = sent(need.type, asked(need, device))
    for link in above if amount else ():
        if not link.usable:
            yield _unusable(link, node)
        yield from _too_little(CARRIED, amount, state.free(link).get(CARRIED), link, node)


def _unusable(device: Device, node: str) -> Shortfall:
    reason = device.unusable_reason or "unusable"
    return Shortfall("unusable", node, device.uuid, device.type, None, True, reason)


def _is_held_back(shortfall: Shortfall, need: Need, device: Device) -> bool:
    """The card has room for what was asked, but it cannot keep two jobs apart."""
    if isolates(device) or shortfall.rule != "free" or not isinstance(shortfall.have, int):
        return False
    return 0 < shortfall.have >= wanted(need, device).get(shortfall.dimension or "", 0)


def _not_shared(shortfall: Shortfall) -> Shortfall:
    return replace(shortfall, rule="isolation")


def _unmet(rule: Constraint, have: Attribute, device: Device, node: str) -> Shortfall:
    wanted = rule.value if not isinstance(rule.value, tuple) else ", ".join(str(v) for v in rule.value)
    short = None
    if rule.op in ("min", "max") and isinstance(have, int | float) and isinstance(wanted, int | float):
        short = abs(wanted - have)
    name = rule.attribute
    return Shortfall("constraint", node, device.uuid, device.type, name, wanted, have, short, unit_of(name))


def _too_little(name: str, amount: int, free: int | None, device: Device, node: str) -> Iterator[Shortfall]:
    capacity = device.capacity.get(name)
    if capacity is None or not 0 <= amount <= capacity or capacity + amount == 0:
        short = amount - capacity if capacity is not None else None
        yield Shortfall("capacity", node, device.uuid, device.type, name, amount, capacity, short, unit_of(name))
    elif free is None or free < amount:
        have = free or 0
        yield Shortfall("free", node, device.uuid, device.type, name, amount, have, amount - have, unit_of(name))


def _too_few_cores(need: Need, device: Device, state: Occupancy, node: str) -> Iterator[Shortfall]:
    """Millicores may be free while no whole core is: such a device cannot pin the job."""
    amount = asked(need, device).get(CPU, 0)
    have = len(state.cores(device)) * CORE
    too_few = names_cores(device) and len(state.cores(device)) < ceil_div(amount, CORE)
    if too_few and amount <= state.free(device).get(CPU, 0):
        yield Shortfall("free", node, device.uuid, device.type, CPU, amount, have, amount - have, unit_of(CPU))


def value_of(device: Device, attribute: str) -> Attribute:
    """What a constraint sees: described attributes first, then topology, then capacity."""
    if attribute in device.attributes:
        return device.attributes[attribute]
    if attribute == "numa_node":
        return device.numa_node
    return device.capacity.get(attribute)


def holds(rule: Constraint, have: Attribute) -> bool:
    """Whether the rule accepts the value; an unknown value is never accepted."""
    if have is None:
        return False
    wanted = rule.value
    if rule.op == "regex":
        return re.search(str(wanted), str(have)[:128], re.IGNORECASE) is not None
    if rule.op in ("eq", "in"):
        options = wanted if isinstance(wanted, tuple) else (wanted,)
        return any(_same(option, have) for option in options)
    if isinstance(wanted, tuple) or wanted is None:
        return False
    if rule.op == "version_min":
        return version(have) >= version(wanted)
    return _number_holds(rule.op, wanted, have)


def _number_holds(op: str, wanted: Attribute, have: Attribute) -> bool:
    if not isinstance(wanted, int | float) or not isinstance(have, int | float):
        return False
    return have >= wanted if op == "min" else op == "max" and have <= wanted


def _same(option: Attribute, have: Attribute) -> bool:
    return option == have or str(option).casefold() == str(have).casefold()


def version(value: Attribute) -> tuple[int, ...]:
    """Comparable parts: "510.47.03" -> (510, 47, 3), "sm_80" -> (8, 0)."""
    text = str(value)
    compute = re.fullmatch(r"sm_?(\d+)(\d)[a-z]?", text)
    return tuple(int(part) for part in (compute.groups() if compute else re.findall(r"\d+", text)))
