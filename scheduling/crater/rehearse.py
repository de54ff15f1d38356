"""What would this planner do with these jobs on this cluster, and how would they fare?

A Director for simulate.py over any planner (a function from Snapshot to Plan: ours, or a baseline)
and the contention model. It is what-if in one call: same arrivals, other planner, other policy or
other nodes. At each arrival and end the planner sees the cluster as it is then; placed jobs run at
the speed that contention.py gives them, times their own noise, which the caller draws.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scheduling.crater.appetite import Effects, Parameters, Seat
from scheduling.crater.contention import Machine
from scheduling.crater.director import NEVER_MS, Change, Outcome, Task, World
from scheduling.crater.model import Node, Placement, Plan, Snapshot
from scheduling.crater.simulate import Simulation
from scheduling.crater.site import booked
from scheduling.crater.trial import Trial, Watched

Planner = Callable[[Snapshot], Plan]
SEEN = 24  # waiting jobs shown to the planner at once


@dataclass
class Rehearsal:
    """The cluster during one run."""

    nodes: dict[str, Node]
    trials: Mapping[str, Trial]
    planner: Planner
    parameters: Parameters
    waiting: list[str] = field(default_factory=list)
    seats: dict[str, dict[str, Seat]] = field(default_factory=dict)
    where: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the machines of each job
    effects: dict[str, Effects] = field(default_factory=dict)
    watched: Watched = field(default_factory=Watched)
    last_ms: int = 0

    def step(self, now_ms: int, arrived: Sequence[Task], ended: Sequence[str], world: World) -> Mapping[str, Change]:
        """Release, plan, seat, and give everyone on a touched node its new speed."""
        self._watch(now_ms)
        touched = {node for name in ended for node in self._release(name)}
        self.waiting.extend(task.name for task in arrived)
        touched |= {self._seat(part) for placement in self._plan(now_ms) for part in placement.parts}
        for name in sorted(touched):
            seats = self.seats.get(name, {})
            self.effects[name] = Machine(self.nodes[name], self.parameters).effects(list(seats.values()))
        moved = dict.fromkeys(job for name in sorted(touched) for job in self.effects[name].slowdowns)
        return {job: Change(self.trials[job].noise / self._slowdown(job)) for job in moved}

    def _slowdown(self, job: str) -> float:
        """The members of a gang wait for the slowest."""
        return max(self.effects[node].slowdowns[job] for node in self.where[job])

    def wake_ms(self, now_ms: int) -> int:
        """Arrivals and ends suffice."""
        return NEVER_MS

    def _plan(self, now_ms: int) -> Sequence[Placement]:
        queue = tuple(self.trials[name].request for name in self.waiting[:SEEN])
        if not queue:
            return ()
        return self.planner(Snapshot(now_ms, tuple(self.nodes.values()), queue)).placements

    def _seat(self, placement: Placement) -> str:
        self.watched.placements.append((placement, tuple(self.nodes.values())))
        self.nodes[placement.node] = booked(self.nodes[placement.node], placement.picks, 1)
        seat = Seat(placement.job, placement.picks, self.trials[placement.job].appetite)
        seats = self.seats.setdefault(placement.node, {})
        seats[placement.job] = seat
        self.where[placement.job] = (*self.where.get(placement.job, ()), placement.node)
        if placement.job in self.waiting:
            self.waiting.remove(placement.job)
        after = Machine(self.nodes[placement.node], self.parameters).effects(list(seats.values()))
        drives = {pick.device for pick in placement.picks if pick.type == "storage"}
        self.watched.over_depth += any(after.depths[drive] > 1 for drive in drives)
        return placement.node

    def _release(self, job: str) -> tuple[str, ...]:
        names = self.where.pop(job)
        for name in names:
            seat = self.seats[name].pop(job)
            self.nodes[name] = booked(self.nodes[name], seat.picks, -1)
        return names

    def _watch(self, now_ms: int) -> None:
        """Add up what the loads were since the last event."""
        passed = now_ms - self.last_ms
        self.last_ms = now_ms
        for name, effects in self.effects.items():
            kinds = {device.uuid: device.type for device in self.nodes[name].devices}
            for part, load in effects.loads.items():
                over = max(0.0, load - 1) * passed
                kind = kinds.get(part, "link")
                self.watched.pcie_over_ms += over if kind == "link" else 0.0
                self.watched.memory_over_ms += over if kind == "memory" else 0.0
                self.watched.drive_over_ms += over if kind == "storage" else 0.0
            self.watched.over_depth_ms += sum(depth > 1 for depth in effects.depths.values()) * passed


def rehearse(
    nodes: Sequence[Node], trials: Sequence[Trial], planner: Planner, parameters: Parameters
) -> tuple[tuple[Outcome, ...], Watched]:
    """Play the jobs on the nodes; outcomes by arrival, and what was watched."""
    by_job = {trial.request.job: trial for trial in trials}
    stage = Rehearsal({node.name: node for node in nodes}, by_job, planner, parameters)
    tasks = [Task(t.request.job, t.request.submitted_ms, float(t.alone_ms)) for t in trials]
    stage.last_ms = min((task.arrive_ms for task in tasks), default=0)
    return Simulation(tasks, stage).run(), stage.watched
