"""What do equal requests share, and what does a placed job hold? Values of planner.py."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from scheduling.crater.fleet import NodeClass
from scheduling.crater.found import Slots
from scheduling.crater.model import Pick, Request, Shortfall
from scheduling.crater.programs import variants
from scheduling.crater.scene import Scene
from scheduling.crater.scores import per_hour
from scheduling.crater.search import Search

Take = tuple[int, int, str, int, int, str]  # column, device, dimension, how much one of it is, amount, unit
Hourly = tuple[Fraction | None, ...]  # by class: nano-currency an hour, None where it can never run


@dataclass(frozen=True, slots=True)
class Shape:
    """What equal requests share: the number of their compiled form, or the search that replaces it."""

    number: int
    search: Search | None
    hourly: Hourly
    adjust: tuple[int, ...]
    possible: bool  # whether any class would do when empty
    takes: dict[int, list[Take]] = field(default_factory=dict)  # by slot, as missing.py reads them
    told: dict[object, tuple[Shortfall, ...]] = field(default_factory=dict)  # by node and state, as whynot.py says it


class Held(NamedTuple):
    """What a placed job holds."""

    node: int
    slots: Slots
    cpus: tuple[tuple[str, tuple[int, ...]], ...]


def hourly_on(request: Request, group: NodeClass, scene: Scene) -> Fraction | None:
    """The dearest the request could be on an empty node of the class; None where it cannot run."""
    dearest: Fraction | None = None
    for variant in variants(request, group):
        total = Fraction(0)
        for ask in variant.asks if scene.rates else ():
            costs = sorted(per_hour(_picks(group, slot.takes), scene) for slot in ask.slots)
            total += sum(costs[-ask.count :], Fraction(0))
        dearest = total if dearest is None else max(dearest, total)
    return dearest


def _picks(group: NodeClass, takes: Iterable[tuple[int, int, int]]) -> list[Pick]:
    """What the takes are of each device; the names of the class's sample."""
    found: dict[int, dict[str, int]] = {}
    for column, amount, _ in takes:
        position, name = group.columns[column]
        if amount:
            found.setdefault(position, {})[name] = amount
    devices = ((group.sample.devices[position], amounts) for position, amounts in found.items())
    return [Pick(device.uuid, device.type, amounts, (), device.numa_node) for device, amounts in devices]
