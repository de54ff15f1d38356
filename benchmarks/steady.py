"""How full does a cluster stay when jobs come and go, and the planner has to learn what comes?

    python -m benchmarks.steady --data DIR [--json] [--loads 0.95,1.0,1.05] [--traces default]

Shapes and run times from an openb trace, Poisson arrivals; the run starts with the jobs that a
cluster of unlimited size would hold in its steady state, in random order, and goes on for
ARRIVALS more, of which the last half are measured. A job that fits nowhere is refused. `own` pairs each shape with the
trace's run time of that pod, `shuffled` with that of any pod. `crater` starts without any
demand mix and prices what it has seen so far; `fgd` knows the trace's mix from the start. `no_limit` is what
the same jobs would hold on a cluster without limits: the offered load as it turned out.
Prints {run times: {load: {POLICY: {allocated_pct, refused_gpu_pct}}}, worst_gain_pp, seeds}.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from benchmarks import baselines, crater_on_openb, fgd, openb
from benchmarks.streams import capacity_of, common_options, nodes_of, scheduler, side_by_side
from scheduling.crater.market import market, shadow_prices
from scheduling.crater.observed import Observed
from scheduling.crater.reprice import reprice

ARRIVALS = 20_000
POLICIES = ("gpu_packing", "bestfit", "fgd")
TIMES, LOADS, SEEDS = ("own", "shuffled"), ("0.95", "1.0", "1.05"), range(42, 45)
Floats = npt.NDArray[np.float64]


class Side(Protocol):
    """One policy on its own copy of the cluster."""

    def place(self, shape: int) -> object | None: ...

    def give_back(self, held: Any) -> None: ...


class Baseline:
    """A published policy."""

    def __init__(self, scheduler: baselines.Scheduler) -> None:
        self.scheduler = scheduler

    def place(self, shape: int) -> object | None:
        """What is held, None when the job fits nowhere."""
        node, devices = self.scheduler.place(shape)
        return (node, shape, devices) if node >= 0 else None

    def give_back(self, held: tuple[int, int, list[int]]) -> None:
        """The job has ended."""
        self.scheduler.give_back(*held)


class Learning:
    """The planner's board; the mix is what has arrived, priced anew from time to time."""

    def __init__(self, trace: openb.Trace, machines: Sequence[openb.Machine], order: openb.Ints) -> None:
        self.board, numbers = crater_on_openb.board(trace, machines, (), order)
        self.numbers: list[int] = numbers.tolist()
        self.needs = [crater_on_openb.needs(pod) for pod in trace.shapes]
        self.observed = Observed()

    def place(self, shape: int) -> object | None:
        """As Baseline.place, after a look at the clock of the mix."""
        self.observed.saw(shape, self.needs[shape])
        if self.observed.is_due():
            mix = shadow_prices(self.board.grid.nodes, self.observed.mix())
            reprice(self.board, market(self.board.grid, mix))
        found = self.board.place(self.numbers[shape], 1)
        if found is None:
            return None
        self.observed.started(shape)
        return found.row, found.slots, shape

    def give_back(self, held: tuple[int, tuple[int, ...], int]) -> None:
        """The job has ended."""
        node, slots, shape = held
        self.board.move(node, slots, 1)
        self.observed.ended(shape)


class Jobs(NamedTuple):
    """In order of arrival: shape, arrival and end (s); those there at the start arrive at 0."""

    shapes: openb.Ints
    arrives: Floats
    ends: Floats


@dataclass(frozen=True)
class Case:
    """One stream to play."""

    nodes: Path
    pods: Path
    times: str
    load: float
    seed: int


def jobs_of(case: Case, trace: openb.Trace, capacity: int) -> Jobs:
    """A stationary stream: the jobs under way at 0 (length-biased, with what is left of them), then Poisson."""
    chance = np.random.default_rng(case.seed)
    which, seconds = lifetimes(case.pods)
    shapes = trace.pods[which]
    if case.times == "shuffled":
        seconds = np.random.default_rng(7).permutation(seconds)
    rate = case.load * capacity / float((trace.milli[shapes] * seconds).mean())  # arrivals a second
    there = chance.choice(len(shapes), chance.poisson(rate * seconds.mean()), p=seconds / seconds.sum())
    new = chance.integers(len(shapes), size=ARRIVALS)
    arrives = np.concatenate([np.zeros(len(there)), np.cumsum(chance.exponential(1 / rate, ARRIVALS))])
    lasts = np.concatenate([seconds[there] * chance.random(len(there)), seconds[new]])
    return Jobs(shapes[np.concatenate([there, new])], arrives, arrives + lasts)


def played(side: Side, jobs: Jobs, milli: openb.Ints, capacity: int) -> tuple[float, float]:
    """(mean GPU allocation in per cent, refused part of the asked GPUs), over the measured half."""
    start = float(jobs.arrives[-(ARRIVALS // 2)])
    running: list[tuple[float, int, object]] = []
    used = refused = asked = 0
    area = now = 0.0

    def until(then: float) -> None:
        nonlocal area, now
        area += used * max(0.0, then - max(now, start))
        now = then

    for number, (shape, arrives, ends) in enumerate(zip(*(column.tolist() for column in jobs), strict=True)):
        while running and running[0][0] <= arrives:
            gone, other, held = heappop(running)
            until(gone)
            side.give_back(held)
            used -= int(milli[jobs.shapes[other]])
        until(arrives)
        held = side.place(shape)
        amount, measured = int(milli[shape]), arrives >= start
        asked += amount * measured
        if held is None:
            refused += amount * measured
            continue
        heappush(running, (ends, number, held))
        used += amount
    return area / (now - start) / capacity * 100, refused / asked * 100


def play(case: Case) -> dict[str, tuple[float, float]]:
    """All policies on one stream."""
    machines, trace = openb.machines(case.nodes), openb.trace(case.pods)
    capacity, order = capacity_of(machines), np.random.default_rng(case.seed).permutation(len(machines))
    jobs, common = jobs_of(case, trace, capacity), fgd.typical(trace)

    def side(name: str) -> Side:
        if name == "crater":
            return Learning(trace, machines, order)
        world = baselines.World(trace, machines, order)
        return Baseline(scheduler(name, world, np.zeros((0, 2)), common))

    found = {name: played(side(name), jobs, trace.milli, capacity) for name in (*POLICIES, "crater")}
    return {**found, "no_limit": (offered(jobs, trace.milli) / capacity * 100, 0.0)}


def offered(jobs: Jobs, milli: openb.Ints) -> float:
    """What a cluster without limits would hold on average in the measured half."""
    start, end = float(jobs.arrives[-(ARRIVALS // 2)]), float(jobs.arrives[-1])
    within = np.minimum(jobs.ends, end) - np.maximum(jobs.arrives, start)
    return float(milli[jobs.shapes] @ np.maximum(0.0, within)) / (end - start)


@lru_cache(maxsize=2)
def lifetimes(pods: Path) -> tuple[openb.Ints, Floats]:
    """(number of the pod in the order of names, seconds it ran) for the pods that ran."""
    rows = sorted(openb.rows(pods), key=lambda row: row["name"])
    ran = [
        (number, float(row["deletion_time"]) - float(row["scheduled_time"]))
        for number, row in enumerate(rows)
        if row.get("scheduled_time")
    ]
    return np.array([n for n, _ in ran]), np.array([max(1.0, seconds) for _, seconds in ran])


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print; 2 when the traces are not here."""
    options = _options(argv)
    nodes, pods = nodes_of(options.data), openb.known(options.data / "traces" / "openb").get(options.trace)
    if nodes is None or pods is None or not len(lifetimes(pods)[0]):
        print("missing: openb node list, or a pod list with run times", file=sys.stderr)
        return 2
    answer = measure(nodes, pods, options.loads.split(","), options.seeds, options.jobs)
    print(json.dumps(answer, indent=None if options.json else 1))
    return 0


def measure(
    nodes: Path, pods: Path, loads: Sequence[str] = LOADS, seeds: Sequence[int] = SEEDS, processes: int = 1
) -> dict[str, Any]:
    """All run times and loads on one trace; nothing where it has no run times."""
    if not len(lifetimes(pods)[0]):
        return {}
    keys = list(product(TIMES, loads))
    cases = [Case(nodes, pods, times, float(load), seed) for times, load in keys for seed in seeds]
    runs = side_by_side(play, cases, processes)
    return report({key: [next(runs) for _ in seeds] for key in keys}, seeds)


Runs = Mapping[tuple[str, str], Sequence[dict[str, tuple[float, float]]]]


def report(found: Runs, seeds: Sequence[int]) -> dict[str, Any]:
    """The JSON object of the module docstring."""
    answer: dict[str, Any] = {}
    for (times, load), runs in found.items():
        answer.setdefault(times, {})[load] = {name: _mean([run[name] for run in runs]) for name in runs[0]}
    gains = [run["crater"][0] - run["fgd"][0] for runs in found.values() for run in runs]
    return {**answer, "worst_gain_pp": round(min(gains), 3), "seeds": list(seeds)}


def _mean(runs: Sequence[tuple[float, float]]) -> dict[str, float]:
    allocated, refused = np.mean(np.array(runs), axis=0).tolist()
    return {"allocated_pct": round(allocated, 3), "refused_gpu_pct": round(refused, 3)}


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trace", default="default", help="an openb trace with run times")
    parser.add_argument("--loads", default=",".join(LOADS), help="offered GPU time over the cluster's")
    common_options(parser)
    parser.set_defaults(seeds=SEEDS)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
