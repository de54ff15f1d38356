"""A cluster that only counts: nodes with so many units. A Site for rounds and a stepper for whole queues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from scheduling.crater.model import Need, Pick, Placement, Request, Runtime
from scheduling.crater.rounds import Now, play
from scheduling.crater.running import Running

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

    def take(self, placement: Placement) -> None:
        self.taken[placement.job] = placement

    def free(self, device: str) -> Mapping[str, int]:
        return {UNIT: self.left(device)}


def starts(queue: Sequence[Request], offered: Mapping[str, int], *, is_backfilling: bool) -> dict[str, int]:
    """Job -> start, playing rounds until all have run; without backfilling nobody passes a waiting job."""
    waiting, running, found, now_ms = list(queue), list[Running](), dict[str, int](), 0
    while waiting:
        running = [r for r in running if r.ends_ms > now_ms]
        chosen = play(waiting, Rooms(offered, running), Now(now_ms, running)).placements
        if not is_backfilling:
            chosen = chosen[: _unbroken(waiting, [p.job for p in chosen])]
        for placement in chosen:
            request = next(r for r in waiting if r.job == placement.job)
            running.append(started(request, placement.node, now_ms))
            found[placement.job] = now_ms
        waiting = [r for r in waiting if r.job not in found]
        now_ms = min((r.ends_ms for r in running), default=now_ms)
    return found


def _unbroken(waiting: Sequence[Request], chosen: Sequence[str]) -> int:
    """How many chosen jobs stand before the first that was not."""
    for count, (request, name) in enumerate(zip(waiting, chosen, strict=False)):
        if request.job != name:
            return count
    return len(chosen)


@st.composite
def queues(draw: st.DrawFn) -> tuple[list[Request], dict[str, int]]:
    """Up to eight jobs that each fit an empty cluster of up to three nodes."""
    offered = {f"n{i}": draw(st.integers(1, 6)) for i in range(draw(st.integers(1, 3)))}
    largest = max(offered.values())
    sizes = draw(st.lists(st.tuples(st.integers(1, largest), st.integers(1, 9)), min_size=1, max_size=8))
    return [wants(f"j{i}", units, lasts) for i, (units, lasts) in enumerate(sizes)], offered
