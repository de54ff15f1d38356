"""Why here, why not, and what would help? The figures that a planner's answer is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Attribute = str | int | float | None


@dataclass(frozen=True, slots=True)
class Term:
    """One part of a score: value 0..1, its weight, and the figures behind it."""

    name: str
    value: float
    weight: float
    facts: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Why a need fails on a device: the rule, what was needed, what was there, what is missing.

    `rule` is a stable code: capacity, free, constraint, unusable, isolation, alignment, count,
    cap, deadline, no_device, backfill, nodes, invalid. `dimension` names a capability or an attribute.
    """

    rule: str
    node: str
    device: str | None
    type: str
    dimension: str | None
    need: Attribute
    have: Attribute
    short: int | float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A change that makes it fit, proved by planning again.

    `rule` is amount, share (ppm of the device), constraint, count, alignment or cap; `to` None
    drops it. Changes of one `option` belong together; each option alone is enough.
    """

    dimension: str
    type: str
    to: Attribute
    was: Attribute
    unit: str = ""
    rule: str = "amount"
    option: int = 0
