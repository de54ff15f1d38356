"""A cluster that only counts: nodes with so many units. A Site for rounds and a stepper for whole queues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scheduling.crater.model import Need, Pick, Placement, Request, Runtime
from scheduling.crater.running import Running
from scheduling.crater.turns import LossOn

UNIT = "units"


def wants(name: str, units: int, lasts_ms: int = 10, priority: int = 0) -> Request:
    """A job that needs units of one node for exactly this long."""
    need = Need("slot", amounts={UNIT: units})
    return Request(name, (need,), 0, priority=priority, runtime=Runtime(lasts_ms, lasts_ms, "declared"))


def units_of(request: Request) -> int:
    return request.needs[0].amounts[UNIT]


def started(request: Request, node: str, now_ms: int) -> Running:
    lasts_ms = request.runtime.p90_ms if request.runtime else 0
    pick = Pick(node, "slot", {UNIT: units_of(request)})
    return Running(request, node, (pick,), now_ms, now_ms + lasts_ms, now_ms)


@dataclass
class Rooms:
    """The site: the tightest node that fits, then the first name."""

    offered: Mapping[str, int]
    running: Sequence[Running] = ()
    taken: dict[str, Placement] = field(default_factory=dict)

    def left(self, node: str, gone: frozenset[str] = frozenset()) -> int:
        used = sum(units_of(r.request) for r in self.running if r.node == node and r.job not in gone)
        fresh = [p for p in self.taken.values() if p.node == node and p.job not in gone]
        return self.offered[node] - used - sum(p.picks[0].amounts[UNIT] for p in fresh)

    def place(self, request: Request, gone: frozenset[str] = frozenset()) -> Placement | None:
        fitting = [n for n in self.offered if self.left(n, gone) >= units_of(request)]
        if not fitting:
            return None
        node = min(fitting, key=lambda n: (self.left(n, gone), n))
        pick = Pick(node, "slot", {UNIT: units_of(request)})
        return Placement(request.job, node, (pick,), (), None, None, None, None)

    def fits(self, request: Request, node: str, gone: frozenset[str]) -> bool:
        return self.left(node, gone) >= units_of(request)

    def seats(
        self, members: Sequence[Request], nodes: Sequence[str], loss: LossOn, *, simulated: bool
    ) -> tuple[str, ...]:
        raise AssertionError("no gangs here")

    def take(self, placement: Placement) -> None:
        self.taken[placement.job] = placement

    def free(self, device: str) -> Mapping[str, int]:
        return {UNIT: self.left(device)}
