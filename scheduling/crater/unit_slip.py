"""Was the wrong unit written? An amount far beyond every device here, and near them once divided by a unit's factor.

Bits for bytes is a factor of 8; a prefix too many is 1,000 or a power of it. A large wish alone is no slip: the
quotient must land within what such devices have, and a thousandfold needs a hundredfold excess.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scheduling.crater.filters import unit_of, value_of
from scheduling.crater.model import Need, Node

BITS, PREFIXES = 8, (10**3, 10**6, 10**9)
FAR = 100  # times the best device, for a prefix
NEAR = 4  # bits for bytes: the quotient is at least a fourth of the best device


@dataclass(frozen=True, slots=True)
class UnitSlip:
    """`asked` is `ratio` times the most that any device here has; divided by `factor` it would be plausible."""

    type: str
    dimension: str
    asked: int | float
    most: int | float
    ratio: float
    factor: int
    unit: str


def unit_slips(needs: Iterable[Need], nodes: Sequence[Node]) -> tuple[UnitSlip, ...]:
    """What is asked of devices that looks like a wrong unit, by need and dimension."""
    return tuple(
        slip
        for need in needs
        for name, asked in sorted(_asked(need).items())
        if (slip := _slip(need.type, name, asked, nodes)) is not None
    )


def _asked(need: Need) -> Mapping[str, int | float]:
    least = {
        rule.attribute: rule.value
        for rule in need.constraints
        if rule.op == "min" and isinstance(rule.value, int | float) and not isinstance(rule.value, bool)
    }
    return {**least, **need.amounts}


def _slip(kind: str, name: str, asked: int | float, nodes: Sequence[Node]) -> UnitSlip | None:
    values = [value_of(d, name) for node in nodes for d in node.devices if d.type == kind]
    most = max((v for v in values if isinstance(v, int | float)), default=0)
    if most <= 0 or asked <= most:
        return None
    ratio = asked / most
    factor = _factor(asked, most, unit_of(name))
    return None if factor is None else UnitSlip(kind, name, asked, most, round(ratio, 1), factor, unit_of(name))


def _factor(asked: int | float, most: int | float, unit: str) -> int | None:
    if unit == "bytes/s" and most / NEAR <= asked / BITS <= most:
        return BITS
    if asked < FAR * most:
        return None
    return next((factor for factor in PREFIXES if asked / factor <= most), None)
