"""How much of a cluster's GPUs can be given away before jobs no longer fit? The openb protocol.

    python -m benchmarks.placement --data DIR --json
    python -m benchmarks.placement --nodes FILE --pods FILE [--seeds 42-51] [--traces default,cpu250]

Prints one JSON object: for each trace and policy the GPU allocation in per cent when the GPUs
asked for so far reach 100 % and 130 % of the cluster (mean over the seeds), the gains of
`crater` over `fgd` on the same streams, and the planner's time for one decision. Pods arrive
one by one and never leave; one that fits somewhere is placed. Needs the extra `fast` (numba).
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks import baselines, crater_on_openb, fgd, openb
from scheduling.crater.compiled import FAST
from scheduling.crater.model import Demand

POINTS = (100, 130)
SEEDS = range(42, 52)
Curve = dict[int, float]


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print; 2 when something needed is missing."""
    options = _options(argv)
    nodes = options.nodes or nodes_of(options.data)
    pods = {options.pods.stem: options.pods} if options.pods else openb.known(options.data / "traces" / "openb")
    if options.traces:
        pods = {name: path for name, path in pods.items() if name in options.traces.split(",")}
    if nodes is None or not pods or not FAST:
        print("missing: " + ("numba (extra `fast`)" if not FAST else "openb node or pod lists"), file=sys.stderr)
        return 2
    machines = openb.machines(nodes)
    found: dict[str, Mapping[str, Mapping[str, float]]] = {}
    micros: list[float] = []
    for name, path in pods.items():
        found[name], spent = measure(openb.trace(path), machines, options.seeds)
        micros.append(spent)
        if not options.json:
            print(name, found[name], f"{spent:.2f} us", flush=True)
    print(json.dumps(report(found, options.seeds, micros), indent=None if options.json else 1))
    return 0


def measure(
    trace: openb.Trace, machines: Sequence[openb.Machine], seeds: Sequence[int]
) -> tuple[Mapping[str, Mapping[str, float]], float]:
    """(policy -> point -> mean allocation, microseconds of a decision of crater)."""
    demand, common = crater_on_openb.priced(trace, machines), fgd.typical(trace)
    curves: dict[str, list[Curve]] = {name: [] for name in (*baselines.POLICIES, "crater")}
    micros = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        shapes = openb.stream(trace, _capacity(machines), rng)
        order, draws = rng.permutation(len(machines)), rng.random((len(shapes), 2))
        for name in baselines.POLICIES:
            placed = _baseline(name, (trace, machines, order), (shapes, draws), common)
            curves[name].append(curve(trace.milli[shapes], placed, _capacity(machines)))
        placed, spent = _crater((trace, machines, order), shapes, demand)
        curves["crater"].append(curve(trace.milli[shapes], placed, _capacity(machines)))
        micros.append(spent)
    means = {
        name: {str(x): round(float(np.mean([c[x] for c in runs])), 3) for x in POINTS} for name, runs in curves.items()
    }
    return means, float(np.median(micros))


Setting = tuple[openb.Trace, Sequence[openb.Machine], openb.Ints]


def _baseline(name: str, at: Setting, stream: tuple[openb.Ints, np.ndarray], common: fgd.Typical) -> np.ndarray:
    trace, machines, order = at
    shapes, draws = stream
    world, placed = baselines.world(trace, list(machines), order), np.zeros(len(shapes), dtype=np.bool_)
    if name == "random":
        baselines.random_run(world, shapes, draws, placed)
    elif name == "fgd":
        cache = np.zeros((len(trace.shapes), len(machines)), dtype=np.int64), np.full(len(trace.shapes), -1)
        fgd.fgd_run(world, shapes, common, cache, placed)
    else:
        baselines.scored_run(world, shapes, baselines.POLICIES.index(name), placed)
    return placed


def _crater(at: Setting, shapes: openb.Ints, demand: Sequence[Demand]) -> tuple[np.ndarray, float]:
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


def report(found: Mapping[str, Mapping[str, Mapping[str, float]]], seeds: Sequence[int], micros: list[float]) -> object:
    """The JSON object of the module docstring."""
    gains = {str(x): [t["crater"][str(x)] - t["fgd"][str(x)] for t in found.values()] for x in POINTS}
    return {
        "traces": found,
        "mean_gain_pp": {x: round(float(np.mean(g)), 3) for x, g in gains.items()},
        "worst_gain_pp": {x: round(min(g), 3) for x, g in gains.items()},
        "seeds": list(seeds),
        "us_per_decision": round(float(np.median(micros)), 2),
    }


def _capacity(machines: Sequence[openb.Machine]) -> int:
    return 1000 * sum(machine.gpus for machine in machines)


def nodes_of(data: Path) -> Path | None:
    """The published node list, where it is here."""
    return next((data / "traces" / "openb").glob("openb_node_list_gpu_node.csv*"), None)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--nodes", type=Path)
    parser.add_argument("--pods", type=Path)
    parser.add_argument("--traces", help="names, separated by commas")
    parser.add_argument("--seeds", type=seeds_of, default=SEEDS, help="42-51, or 1,2,3")
    parser.add_argument("--json", action="store_true", help="the JSON object alone")
    return parser.parse_args(argv)


def seeds_of(text: str) -> Sequence[int]:
    """42-51, or 1,2,3"""
    first, dash, last = text.partition("-")
    return range(int(first), int(last) + 1) if dash else [int(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
