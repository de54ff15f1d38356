"""How many decisions a second does the planner make, reasons included, and how many are committed?

    python -m benchmarks.throughput --json [--nodes 1213,5000] [--shapes 10,1000] [--seconds 5] [--plain]

One core, one Planner kept from decision to decision. Jobs arrive in random order of the shapes;
whenever the cluster is full to LOAD, random jobs leave before the next arrives. What is timed is
everything: departures, the choice, the booking, the Placement with its terms or the Refusal
with its nearest nodes and counts. Not timed: filling 1,200 machines decision by decision (larger
clusters repeat them), the first look at each shape, and 3,000 decisions that mix the copies.
`explained_ratio` compares with decisions that give no reasons (explained.py). `committed` is
measured by benchmarks.committed on a PostgreSQL of its own.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import clusters, committed, explained
from scheduling.crater.compiled import FAST
from scheduling.crater.market import shadow_prices
from scheduling.crater.model import Demand, Placement, Request
from scheduling.crater.planner import Planner

NODES, SHAPES = (1213, 5000, 12000, 50000), (10, 1000)
COMMITTED_NODES = 5000
LOAD = 0.95  # of the GPUs
REPEATED = 1200  # machines that are filled by deciding; larger clusters repeat them
MIXED = 200_000  # decisions times shapes before the clock starts, at least 3,000: jobs have come and gone by then
EXPLAINED_UP_TO = 5000  # nodes: beyond, two planners at once would only cost memory
SEED = 42


@dataclass
class Run:
    """One planner under arrivals and departures."""

    planner: Planner
    shapes: list[Demand]

    def __post_init__(self) -> None:
        self.jobs: list[tuple[str, int]] = []
        self.load, self.number, self.refused = 0.0, 0, 0
        self.gpus = sum(len(group.gpus) * len(group.names) for group in self.planner.grid.classes)
        rng, weights = np.random.default_rng(SEED), np.array([shape.weight for shape in self.shapes], dtype=float)
        self.draws = rng.choice(len(self.shapes), size=1 << 16, p=weights / weights.sum()).tolist()
        self.leaves = rng.random(1 << 16).tolist()
        self.sizes = [sum(n.count * n.shares["gpu_sm"] / 1e6 for n in s.needs if n.type == "gpu") for s in self.shapes]

    def step(self) -> bool:
        """Departures while the cluster is full, then one decision; whether it was placed."""
        while self.load > LOAD * self.gpus:
            self.leave()
        return self.arrive()

    def leave(self) -> None:
        """A random job goes."""
        at = int(self.leaves[(self.number + len(self.jobs)) & 0xFFFF] * len(self.jobs))
        self.jobs[at], self.jobs[-1] = self.jobs[-1], self.jobs[at]
        job, shape = self.jobs.pop()
        self.planner.give_back(job)
        self.load -= self.sizes[shape]

    def arrive(self) -> bool:
        """One decision; when it is a refusal someone leaves, so that the next may come."""
        number, self.number = self.number, self.number + 1
        shape = self.draws[number & 0xFFFF]
        answer = self.planner.decide(self.request(number, shape))
        if isinstance(answer, Placement):
            self.jobs.append((answer.job, shape))
            self.load += self.sizes[shape]
            return True
        self.refused += 1
        if self.jobs:
            self.leave()
        return False

    def request(self, number: int, shape: int) -> Request:
        """A job of the shape."""
        return clusters.request(f"j{number}", self.shapes[shape])

    def copy(self, other: "Run") -> None:
        """Fill the cluster as another is filled, over and over: equal kinds of machines take equal jobs."""
        rows, names = self.planner.grid.positions, [node.name for node in other.planner.grid.nodes]
        by_node: dict[int, list[tuple[str, int]]] = {}
        for job, shape in other.jobs:
            by_node.setdefault(int(names[other.planner.held[job].node][1:]), []).append((job, shape))
        for name, row in rows.items():
            for job, shape in by_node.get(int(name[1:]) % REPEATED, ()):
                held = f"{name}/{job}"
                self.planner.hold(held, row, other.planner.held[job].slots)
                self.jobs.append((held, shape))
                self.load += self.sizes[shape]


def measure(count: int, filled: Run, seconds: float) -> dict[str, object]:
    """One row of `decisions`."""
    run = prepared(count, filled, Planner)
    refused, took = run.refused, list[float]()
    began, worked = time.perf_counter(), time.thread_time()
    while (now := time.perf_counter()) - began < seconds:
        run.step()
        took.append(time.perf_counter() - now)
    spent, worked = time.perf_counter() - began, time.thread_time() - worked
    p50, p99 = np.percentile(took, [50, 99]) * 1000
    return {
        "nodes": count,
        "shapes": len(filled.shapes),
        "per_s": round(len(took) / spent),
        "p50_ms": round(float(p50), 4),
        "p99_ms": round(float(p99), 4),
        "cpu_us": round(worked / len(took) * 1e6, 1),
        "refused_pct": round(100 * (run.refused - refused) / len(took), 2),
        "explained_ratio": ratios(count, filled, seconds / 2) if count <= EXPLAINED_UP_TO else None,
    }


def ratios(count: int, filled: Run, seconds: float) -> dict[str, float | None]:
    """What reasons cost: explained over bare, for placements and for refusals."""
    pair = explained.Pair(prepared(count, filled, Planner).step, prepared(count, filled, explained.Bare).step)
    pair.compare(seconds)
    return {"placed": pair.ratio(placed=True), "refused": pair.ratio(placed=False)}


def filled_cluster(shapes: int, fast: bool) -> Run:
    """REPEATED machines filled to their load one decision at a time."""
    wanted = clusters.shapes(shapes, np.random.default_rng(SEED))
    mix = tuple(wanted)
    if shapes <= len(clusters.FLAVOURS):
        mix = shadow_prices(clusters.nodes(1000), mix)
    run = Run(Planner(clusters.snapshot(REPEATED, mix), fast=fast), wanted)
    for number in range(shapes):
        run.planner.shape(run.request(0, number))  # compiled in this order everywhere: slots mean the same
    while run.load <= LOAD * run.gpus and run.refused < 1000:
        run.arrive()
    return run


def prepared(count: int, filled: Run, kind: type[Planner]) -> Run:
    """A cluster that repeats the filled one, every shape seen once, and some decisions to mix it."""
    planner, shapes = filled.planner, filled.shapes
    snapshot = clusters.snapshot(count, planner.scene.snapshot.mix)
    run = Run(kind(snapshot, fast=planner.board.fast), shapes)
    for number in range(len(shapes)):
        run.planner.shape(run.request(0, number))
    run.copy(filled)
    for number in range(len(shapes)):
        shape = run.planner.shape(run.request(0, number))
        run.planner.board.choose(shape.number)
        if kind is Planner:
            run.planner.board.survey(shape.number)  # compiles or loads what a refusal needs
    for _ in range(max(3000, MIXED // len(shapes))):
        run.step()
    return run


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="not needed here; every benchmark takes it")
    parser.add_argument("--nodes", type=_numbers, default=NODES)
    parser.add_argument("--shapes", type=_numbers, default=SHAPES)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--committed", type=int, default=10_000, help="jobs committed at 5,000 nodes; 0: leave it out")
    parser.add_argument("--plain", action="store_true", help="without numba, even where it is installed")
    parser.add_argument("--json", action="store_true", help="the JSON object alone")
    options = parser.parse_args(argv)
    fast = FAST and not options.plain
    rows = []
    for shapes in options.shapes:
        filled = filled_cluster(shapes, fast)
        for count in options.nodes:
            rows.append(measure(count, filled, options.seconds))
            if not options.json:
                print(rows[-1], flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    stored = committed.measure(COMMITTED_NODES, options.committed) if options.committed else None
    answer = {"decisions": rows, "committed": stored, "peak_rss_mb": round(peak), "numba": fast}
    print(json.dumps(answer, indent=None if options.json else 1))
    return 0


def _numbers(text: str) -> Sequence[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
