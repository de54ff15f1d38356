"""When could a job that waits start, given what runs and who is before it?

A rehearsal (rehearse.py) of the days to come: running jobs end when they are expected to, the queue is placed by the
planner at each end, no one new arrives. Run once with median durations and once with long ones, it gives the expected
start and a late one. Contention is left out: the durations were measured under it.

A large cluster is looked at through the nodes that are nearest to fitting: the start found there is one that holds,
not always the earliest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import NormalDist

from scheduling.crater.appetite import Appetite, Parameters
from scheduling.crater.director import Task
from scheduling.crater.forecast import COLD_START, Z90
from scheduling.crater.gang import is_gang, joined, names_of
from scheduling.crater.model import Placement, Plan, Request, Running, Runtime, Snapshot
from scheduling.crater.order import ordered
from scheduling.crater.planner import Planner
from scheduling.crater.rehearse import Rehearsal
from scheduling.crater.simulate import Simulation
from scheduling.crater.site import booked
from scheduling.crater.trial import Trial

MOST_NODES, MOST_WAITING, MOST_RUNNING = 24, 60, 400
STILL = Appetite({"compute": 1.0})
ALONE = Parameters(1.0, 1.0, 1.0)
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Start:
    """A start in the future and the place it would be at."""

    at_ms: int
    placement: Placement


def remaining_ms(runtime: Runtime, ran_ms: int, quantile: float) -> int:
    """How much longer a job that has run for a while will take, at this quantile of what is left of its durations."""
    if runtime.p50_ms <= 0 or runtime.p90_ms <= runtime.p50_ms:
        return max(1, runtime.p50_ms - ran_ms)
    sigma = log(runtime.p90_ms / runtime.p50_ms) / Z90
    known = NORMAL.cdf(log(max(1, ran_ms) / runtime.p50_ms) / sigma)
    part = min(known + quantile * (1 - known), 1 - 1e-9)
    return max(1, round(runtime.p50_ms * exp(sigma * NORMAL.inv_cdf(max(part, 1e-9)))) - ran_ms)


def start_of(snapshot: Snapshot, running: Sequence[Running], job: str, *, slow: bool) -> Start | None:
    """The start of one waiting job; None when it does not start within what is looked at.

    `running` says by `ends_ms` when each job is expected to end (the caller's quantile).
    """
    line = ordered(snapshot.queue, snapshot.now_ms)
    asked = next((request for request in line if request.job == job), None)
    if asked is None:
        return None
    ahead = line[: line.index(asked) + 1]
    snapshot, running = _narrowed(replace(snapshot, queue=tuple(ahead)), running, asked)
    if len(running) > MOST_RUNNING or len(ahead) > MOST_WAITING:
        return None
    return _Rehearsed(snapshot, running).start(asked, slow=slow)


def _narrowed(snapshot: Snapshot, running: Sequence[Running], asked: Request) -> tuple[Snapshot, Sequence[Running]]:
    if len(snapshot.nodes) <= MOST_NODES:
        return snapshot, running
    planner = Planner(snapshot)
    most = max(MOST_NODES, 2 * len(names_of(asked)))
    names = set((planner.why_not(asked).closest.nodes or [node.name for node in snapshot.nodes])[:most])
    nodes = tuple(node for node in snapshot.nodes if node.name in names)
    return replace(snapshot, nodes=nodes), [r for r in running if r.node in names]


class _Rehearsed:
    """What runs is seated again where it is; what waits is placed by the planner."""

    def __init__(self, snapshot: Snapshot, running: Sequence[Running]) -> None:
        nodes = {node.name: node for node in snapshot.nodes}
        for job in running:
            nodes[job.node] = booked(nodes[job.node], job.picks, -1)
        self.snapshot, self.nodes = snapshot, nodes
        self.seated = {r.key: Placement(r.key, r.node, r.picks, (), None, None, None, None) for r in running}
        self.lasts = {r.key: max(1, r.ends_ms - snapshot.now_ms) for r in running}
        self.requests: dict[str, Request] = {r.key: replace(r.request, job=r.key) for r in running}

    def start(self, asked: Request, *, slow: bool) -> Start | None:
        for request in self.snapshot.queue:
            runtime = request.runtime or COLD_START
            self.requests[request.job] = request
            self.lasts[request.job] = max(1, runtime.p90_ms if slow else runtime.p50_ms)
        trials = {name: Trial(self.requests[name], lasts, STILL) for name, lasts in self.lasts.items()}
        stage = _Stage(dict(self.nodes), trials, self.plan, ALONE, last_ms=self.snapshot.now_ms)
        tasks = [Task(name, self.snapshot.now_ms, float(lasts)) for name, lasts in self.lasts.items()]
        done = {o.name: o.start_ms for o in Simulation(tasks, stage, until=[asked.job]).run()}
        at_ms = done.get(asked.job)
        parts = [p for p, _ in stage.watched.placements if p.job == asked.job]
        if at_ms is None or not parts:
            return None
        return Start(at_ms, joined(asked, parts, None) if is_gang(asked) else parts[0])

    def plan(self, seen: Snapshot) -> Plan:
        """Running jobs sit where they are; the rest in the planner's order on what is left."""
        again = [self.seated[r.job] for r in seen.queue if r.job in self.seated]
        nodes = {node.name: node for node in seen.nodes}
        for placement in again:
            nodes[placement.node] = booked(nodes[placement.node], placement.picks, 1)
        waiting = tuple(r for r in seen.queue if r.job not in self.seated)
        planner = Planner(replace(self.snapshot, nodes=tuple(nodes.values()), queue=waiting))
        placed = (planner.place(request) for request in ordered(waiting, seen.now_ms))
        return Plan((*again, *(p for p in placed if p is not None)))


class _Stage(Rehearsal):
    """Everybody who waits is shown to the planner, not only the first."""

    def _plan(self, now_ms: int) -> Sequence[Placement]:
        queue = tuple(self.trials[name].request for name in self.waiting)
        if not queue:
            return ()
        return self.planner(Snapshot(now_ms, tuple(self.nodes.values()), queue)).placements
