"""What derivation answers with: devices, links and values that say where they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from profiles.hkb.lookup import Knowledge

VERSION = 3  # counts changes of the rules of derivation


@dataclass(frozen=True, slots=True)
class DerivedCapacity:
    """One value in base units; None when nobody knows, with the reason.

    `quality` is measured, proxy, estimated or missing. `reason` also explains a value that is
    not what the part could do: the class it was estimated from, or the slower side of a link.
    """

    value: int | None
    source: str
    quality: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class DerivedDevice:
    """One schedulable device. `model` is the vendor-neutral key; the product name is an attribute."""

    uuid: str
    type: str
    name: str
    numa_node: int | None
    parent: str | None
    vendor: str
    model: str
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    capacities: Mapping[str, DerivedCapacity] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    healthy: bool = True
    degraded_reason: str | None = None


@dataclass(frozen=True, slots=True)
class DerivedLink:
    """A path between two devices with what it carries in bytes/s.

    `kind` is pcie (a root port and the card below it, one direction), nvlink (two cards, both
    directions together) or numa (the memory pools of two nodes). `a` and `b` are uuids, a < b
    except for pcie, where `a` is the upstream side.
    """

    kind: str
    a: str
    b: str
    bandwidth: DerivedCapacity
    attributes: Mapping[str, str | int | bool] = field(default_factory=dict)


def stamp(known: Knowledge) -> str:
    """Which rules and which knowledge an answer rests on: another stamp asks for deriving again."""
    return f"{VERSION}/{known.version}"
