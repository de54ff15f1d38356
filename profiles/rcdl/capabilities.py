"""What is consumed of a device: for each capability exactly one of target, amount and max."""

from dataclasses import dataclass, field
from decimal import Decimal

from profiles.dimensions import PPM, Dimension, Kind, lookup
from profiles.errors import UnknownCapability
from profiles.rcdl.constraints import Placed
from profiles.rcdl.document import Rule
from profiles.rcdl.fields import Fields
from profiles.rcdl.tables import CAPABILITY, capability_names
from profiles.rcdl.units import amount, quantity


@dataclass(slots=True)
class Taken:
    """What one device of a resource gives: base units, parts per million, and ceilings that take nothing."""

    amounts: dict[str, int] = field(default_factory=dict)
    shares: dict[str, int] = field(default_factory=dict)
    ceilings: list[Placed] = field(default_factory=list)


def capability(fields: Fields, kind: str, into: Taken) -> None:
    """Read one entry of `capabilities`."""
    well_spelt = fields.only(CAPABILITY)
    dimension, scale = _dimension(fields, kind)
    given = [key for key in ("target", "amount", "max") if fields.scalar(key) is not None]
    if dimension is None or (not given and not well_spelt):
        return
    if len(given) != 1:
        code = "contradiction" if given else "missing"
        fields.error(given[1] if given else "name", code, "exactly one of target, amount and max")
    elif dimension.name in into.amounts or dimension.name in into.shares:
        fields.error("name", "duplicate", f"{dimension.name} once for each resource")
    elif given[0] == "target":
        _share(fields, dimension, into)
    elif given[0] == "max":
        _ceiling(fields, dimension, scale, into)
    else:
        _amount(fields, dimension, scale, into)


def _dimension(fields: Fields, kind: str) -> tuple[Dimension | None, int]:
    name = fields.text("name")
    if not name:
        fields.error("name", "missing", "the name of a capability")
        return None, 1
    try:
        dimension, scale = lookup(name, kind)
    except UnknownCapability:
        fields.findings.unknown(fields.spot("name"), "unknown_capability", name, capability_names(kind))
        return None, 1
    if dimension.kind is Kind.SET:
        fields.error("name", "contradiction", f"{name} under constraints: it is not used up")
        return None, 1
    return dimension, scale


def _share(fields: Fields, dimension: Dimension, into: Taken) -> None:
    """A fraction of the device, 0 < target <= 1, in parts per million."""
    if dimension.kind is not Kind.ADDITIVE:
        fields.error("target", "contradiction", f"max for {dimension.name}: a limit has no share")
        return
    written = fields.scalar("target")
    percent = written.value if written is not None else None
    if isinstance(percent, int | float) and 1 < percent <= 100:
        fields.error("target", "out_of_range", "a share of the device, more than 0, at most 1", f"{percent / 100:g}?")
        return
    share = fields.number("target", 0, 1)
    if share is not None:
        into.shares[dimension.name] = max(1, round(Decimal(str(share)) * PPM))


def _ceiling(fields: Fields, dimension: Dimension, scale: int, into: Taken) -> None:
    value = fields.scalar("max")
    limit = quantity(value.text, dimension, scale, fields.spot("max"), fields.findings) if value else None
    if limit is not None:
        into.ceilings.append((Rule(dimension.name, "max", limit), fields.spot("max")))


def _amount(fields: Fields, dimension: Dimension, scale: int, into: Taken) -> None:
    value = fields.scalar("amount")
    if dimension.kind is not Kind.ADDITIVE:
        fields.error("amount", "contradiction", f"max for {dimension.name}, which is not used up")
        return
    base = amount(value.text, dimension, scale, fields.spot("amount"), fields.findings) if value else None
    if base is None:
        return
    if base == 0:
        fields.error("amount", "out_of_range", "more than 0", "leave the capability out to take nothing of it")
    elif dimension.unit == "ppm" and base > PPM:
        fields.error("amount", "out_of_range", "at most the whole device (1, or 100 %)")
    else:
        into.amounts[dimension.name] = base
