"""How many decisions a second does the planner make, reasons included, and how many are committed?

    python -m benchmarks.throughput --json [--nodes 1213,5000] [--shapes 10,1000] [--seconds 5] [--plain]

One core, one Planner kept from decision to decision. Jobs arrive in random order of the shapes;
whenever the cluster is full to LOAD, random jobs leave before the next arrives. What is timed is
everything: departures, the choice, the booking, the Placement with its terms or the Refusal
with its nearest miss. Filling the cluster and the first look at each shape are not timed.
`committed` is measured by benchmarks.committed on a PostgreSQL of its own.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import clusters, committed
from scheduling.crater.compiled import FAST
from scheduling.crater.market import shadow_prices
from scheduling.crater.model import Demand, Placement, Request
from scheduling.crater.planner import Planner
from scheduling.crater.whynot import why_not

NODES, SHAPES = (1213, 5000, 12000, 50000), (10, 1000)
COMMITTED_NODES = 5000
LOAD = 0.95  # of the GPUs
SEED = 42


@dataclass
class Run:
    """One planner under arrivals and departures."""

    planner: Planner
    shapes: list[Demand]
    rng: np.random.Generator
    gpus: int

    def __post_init__(self) -> None:
        self.jobs: list[tuple[str, int]] = []
        self.load, self.number, self.refused = 0.0, 0, 0
        weights = np.array([shape.weight for shape in self.shapes], dtype=float)
        self.draws = self.rng.choice(len(self.shapes), size=1 << 16, p=weights / weights.sum()).tolist()
        self.leaves = self.rng.random(1 << 16).tolist()
        self.sizes = [sum(n.count * n.shares["gpu_sm"] / 1e6 for n in s.needs if n.type == "gpu") for s in self.shapes]

    def step(self) -> bool:
        """Departures while the cluster is full, then one decision; whether it was placed."""
        planner, number = self.planner, self.number
        self.number += 1
        while self.load > LOAD * self.gpus:
            at = int(self.leaves[(number + len(self.jobs)) & 0xFFFF] * len(self.jobs))
            self.jobs[at], self.jobs[-1] = self.jobs[-1], self.jobs[at]
            job, left = self.jobs.pop()
            planner.give_back(job)
            self.load -= self.sizes[left]
        shape = self.draws[number & 0xFFFF]
        answer = planner.decide(self.request(number, shape))
        if isinstance(answer, Placement):
            self.jobs.append((answer.job, shape))
            self.load += self.sizes[shape]
            return True
        self.refused += 1
        if self.jobs:  # a full cluster: someone leaves, so that the next may come
            job, left = self.jobs.pop(int(self.leaves[number & 0xFFFF] * len(self.jobs)))
            planner.give_back(job)
            self.load -= self.sizes[left]
        return False

    def request(self, number: int, shape: int) -> Request:
        """A job of the shape."""
        return clusters.request(f"j{number}", self.shapes[shape])


def measure(count: int, shapes: int, seconds: float, fast: bool) -> dict[str, object]:
    """One row of `decisions`."""
    run = prepared(count, shapes, fast)
    refused, took = run.refused, list[float]()
    began, worked = time.perf_counter(), time.thread_time()
    while (now := time.perf_counter()) - began < seconds:
        run.step()
        took.append(time.perf_counter() - now)
    spent, worked = time.perf_counter() - began, time.thread_time() - worked
    p50, p99 = np.percentile(took, [50, 99]) * 1000
    return {
        "nodes": count,
        "shapes": shapes,
        "per_s": round(len(took) / spent),
        "p50_ms": round(float(p50), 4),
        "p99_ms": round(float(p99), 4),
        "cpu_us": round(worked / len(took) * 1e6, 1),
        "refused_pct": round(100 * (run.refused - refused) / len(took), 2),
    }


def prepared(count: int, shapes: int, fast: bool) -> Run:
    """A cluster filled to its load, every shape seen once."""
    rng = np.random.default_rng(SEED)
    wanted = clusters.shapes(shapes, rng)
    mix = tuple(wanted)
    if shapes <= len(clusters.FLAVOURS):
        mix = shadow_prices(clusters.nodes(min(count, 1000)), mix)
    planner = Planner(clusters.snapshot(count, mix), fast=fast)
    gpus = sum(d.type == "gpu" for node in planner.grid.nodes for d in node.devices)
    run = Run(planner, wanted, rng, gpus)
    for number in range(len(wanted)):
        why_not(planner, run.request(number, number))  # compiles or loads what a refusal needs
    while run.load <= LOAD * gpus and run.refused < 1000:
        run.step()
    for _ in range(5 * shapes):
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
        for count in options.nodes:
            rows.append(measure(count, shapes, options.seconds, fast))
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
