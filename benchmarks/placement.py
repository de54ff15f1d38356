"""How much of a cluster's GPUs can be given away before jobs no longer fit? The openb protocol.

    python -m benchmarks.placement --data DIR --json
    python -m benchmarks.placement --nodes FILE --pods FILE [--seeds 42-51] [--traces default,cpu250]

Prints one JSON object: for each trace and policy the GPU allocation in per cent when the GPUs
asked for so far reach 100 % and 130 % of the cluster (mean over the seeds), the gains of
`crater` over `fgd` on the same streams, and the planner's time for one decision. Pods arrive
one by one and never leave; one that fits somewhere is placed. Figures are the same with and
without numba (extra `fast`); `us_per_decision` is not. Streams are spread over the processors.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import baselines, crater_on_openb, fgd, openb, steady
from benchmarks.streams import capacity_of, common_options, nodes_of, scheduler, side_by_side
from scheduling.crater.compiled import FAST
from scheduling.crater.model import Demand

POINTS = (100, 130)
Curve = dict[int, float]
Job = tuple[Path, Path, int]  # node list, pod list, seed
Stream = tuple[dict[str, Curve], float]  # curve of each policy, microseconds of a decision of crater


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print; 2 when something needed is missing."""
    options = _options(argv)
    nodes = options.nodes or nodes_of(options.data)
    pods = {options.pods.stem: options.pods} if options.pods else openb.known(options.data / "traces" / "openb")
    if options.traces:
        pods = {name: path for name, path in pods.items() if name in options.traces.split(",")}
    if nodes is None or not pods:
        print("missing: openb node or pod lists", file=sys.stderr)
        return 2
    if not FAST:
        print("without numba (extra `fast`): the same figures, later; see us_per_decision", file=sys.stderr)
    jobs: list[Job] = [(nodes, path, seed) for path, seed in product(pods.values(), options.seeds)]
    streams = side_by_side(play, jobs, options.jobs)
    found: dict[str, Mapping[str, Mapping[str, float]]] = {}
    micros: list[float] = []
    for name in pods:
        runs = [next(streams) for _ in options.seeds]
        found[name] = means([curves for curves, _ in runs])
        micros += [spent for _, spent in runs]
        if not options.json:
            print(name, found[name], flush=True)
    answer = report(found, options.seeds, micros)
    if options.steady:
        answer["steady"] = steady.measure(nodes, next(iter(pods.values())), processes=options.jobs)
    print(json.dumps(answer, indent=None if options.json else 1))
    return 0


@lru_cache(maxsize=1)
def prepared(nodes: Path, pods: Path) -> tuple[openb.Trace, list[openb.Machine], tuple[Demand, ...], fgd.Typical]:
    """What all streams of a trace share: with its demand mix priced."""
    machines, trace = openb.machines(nodes), openb.trace(pods)
    return trace, machines, tuple(crater_on_openb.priced(trace, machines)), fgd.typical(trace)


def as_drawn(trace: openb.Trace, shapes: openb.Ints) -> openb.Ints:
    """Arrivals in the random order of the protocol."""
    return shapes


def play(job: Job, arranged: Callable[[openb.Trace, openb.Ints], openb.Ints] = as_drawn) -> Stream:
    """All policies on one stream, its arrivals in the order of `arranged`."""
    nodes, pods, seed = job
    trace, machines, demand, common = prepared(nodes, pods)
    rng, capacity = np.random.default_rng(seed), capacity_of(machines)
    shapes = arranged(trace, openb.stream(trace, capacity, rng))
    order, draws = rng.permutation(len(machines)), rng.random((len(shapes), 2))
    curves = {}
    for name in baselines.POLICIES:
        world = baselines.World(trace, machines, order)
        placed = baselines.run(scheduler(name, world, draws, common), shapes)
        curves[name] = curve(trace.milli[shapes], placed, capacity)
    placed, spent = _crater((trace, machines, order), shapes, demand)
    return {**curves, "crater": curve(trace.milli[shapes], placed, capacity)}, spent


def _crater(
    at: tuple[openb.Trace, Sequence[openb.Machine], openb.Ints], shapes: openb.Ints, demand: Sequence[Demand]
) -> tuple[np.ndarray, float]:
    board, numbers = crater_on_openb.board(at[0], at[1], demand, at[2])
    wanted = numbers[shapes]
    board.stream(wanted[:0])  # compiled or loaded before the clock starts
    began = time.thread_time()
    rows = board.stream(wanted)
    return rows >= 0, (time.thread_time() - began) / len(shapes) * 1e6


def curve(milli: openb.Ints, placed: np.ndarray, capacity: int) -> Curve:
    """Allocation where arrivals, rounded, stand at each point."""
    arrived = np.floor(np.cumsum(milli) / capacity * 100 + 0.5).astype(int)
    allocated = np.cumsum(milli * placed) / capacity * 100
    at = {x: allocated[arrived == x] for x in POINTS}
    return {x: float(values.mean()) if len(values) else float(allocated[-1]) for x, values in at.items()}


def means(runs: Sequence[dict[str, Curve]]) -> dict[str, dict[str, float]]:
    """Policy -> point -> mean allocation over the seeds."""
    return {
        name: {str(x): round(float(np.mean([run[name][x] for run in runs])), 3) for x in POINTS} for name in runs[0]
    }


def report(
    found: Mapping[str, Mapping[str, Mapping[str, float]]], seeds: Sequence[int], micros: list[float]
) -> dict[str, Any]:
    """The JSON object of the module docstring."""
    gains = {str(x): [t["crater"][str(x)] - t["fgd"][str(x)] for t in found.values()] for x in POINTS}
    return {
        "traces": found,
        "mean_gain_pp": {x: round(float(np.mean(g)), 3) for x, g in gains.items()},
        "worst_gain_pp": {x: round(min(g), 3) for x, g in gains.items()},
        "seeds": list(seeds),
        "us_per_decision": round(float(np.median(micros)), 2),
    }


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=Path)
    parser.add_argument("--pods", type=Path)
    parser.add_argument("--traces", help="names, separated by commas")
    parser.add_argument("--steady", action="store_true", help="add `steady` for the first trace (steady.py)")
    common_options(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
