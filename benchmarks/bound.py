"""How much could anyone have given away? An upper bound for each stream of the openb protocol.

    python -m benchmarks.bound --data DIR --json [--traces default,cpu250] [--seeds 42-43]
    python -m benchmarks.bound --nodes FILE --pods FILE [--seeds 42-43]

Prints {trace: {"100": pct, "130": pct}}: the optimum of a linear programme that sees all arrivals
up to the point, may refuse any of them and may place parts of jobs; cores and memory add up by class of nodes, GPUs
are filled by exact patterns. No policy can pass it; one that must place every pod cannot even come near at 130 %,
where the optimum refuses pods that leave waste.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks import crater_on_openb, openb, placement
from benchmarks.streams import nodes_of, seeds_of
from scheduling.crater.fleet import LEVELS, fleet
from scheduling.crater.interior import Floats, Programme, solve
from scheduling.crater.market import asked_of, gpus_of, pools_in, pools_of
from scheduling.crater.model import Demand
from scheduling.crater.shadow import Build, Stock, Wanted

On = tuple[int, tuple[int, ...]] | None


class Capped(Build):
    """The planner's programme with what arrived as a limit for each shape, and GPUs given away as the aim."""

    gains: dict[int, float]

    def job(self, base: int, demand: int, on: On, count: int) -> None:
        """A placed job counts its GPUs."""
        if on is not None:
            self.gains[self.columns] = -on[0] * count / LEVELS
        super().job(base, demand, on, count)

    def capped(self, arrivals: Sequence[int]) -> Programme:
        """All rows and columns for these arrivals; column 0, the load factor, is not wanted here."""
        self.gains = {0: 1.0}
        inner = self.size * len(self.stocks)
        b: Floats = np.zeros(inner + len(self.mix))
        for t, stock in enumerate(self.stocks):
            base = t * self.size
            self.flows(base)
            for j, wanted in enumerate(self.mix):
                self.job(base, inner + j, wanted.on[t], wanted.count)
            b[base] = stock.nodes * stock.gpus / self.gpus
            b[base + LEVELS : base + LEVELS + self.pools] = stock.nodes / self.gpus
        for j, arrived in enumerate(arrivals):
            self.add((inner + j, 1.0))
            b[inner + j] = arrived / self.gpus
        return self.assembled(b, self.gains)


def bound(demand: Sequence[Demand], machines: Sequence[openb.Machine], arrivals: Sequence[int]) -> float:
    """Per cent of all GPUs."""
    nodes = crater_on_openb.nodes(machines, np.arange(len(machines)))
    supply, pools = [c for c in fleet(nodes, {}).classes if c.gpus], pools_in(demand)
    stocks = [Stock(len(c.names), len(c.gpus), pools_of(c, pools)) for c in supply]
    wanted = [Wanted(d.weight, gpus_of(d), tuple(asked_of(d, c, pools) for c in supply)) for d in demand]
    programme = Capped(stocks, wanted).capped(arrivals)
    x, _ = solve(programme)
    return float(-(programme.c[1:] @ x[1:])) * 100


def measure(trace: openb.Trace, machines: Sequence[openb.Machine], seeds: Sequence[int]) -> dict[str, float]:
    """The mean bound over the streams of the seeds."""
    capacity, demand = 1000 * sum(m.gpus for m in machines), crater_on_openb.mix(trace)
    found: dict[str, list[float]] = {str(x): [] for x in placement.POINTS}
    for seed in seeds:
        shapes = openb.stream(trace, capacity, np.random.default_rng(seed))
        arrived = np.cumsum(trace.milli[shapes]) / capacity * 100
        for x in placement.POINTS:
            seen = shapes[arrived <= x]
            found[str(x)].append(bound(demand, machines, np.bincount(seen, minlength=len(trace.shapes)).tolist()))
    return {x: round(float(np.mean(values)), 3) for x, values in found.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print; 2 when the traces are not here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--nodes", type=Path)
    parser.add_argument("--pods", type=Path)
    parser.add_argument("--traces", help="names, separated by commas")
    parser.add_argument("--seeds", type=seeds_of, default=range(42, 44), help="42-51, or 1,2,3")
    parser.add_argument("--json", action="store_true", help="the JSON object alone")
    options = parser.parse_args(argv)
    nodes = options.nodes or nodes_of(options.data)
    pods = {options.pods.stem: options.pods} if options.pods else openb.known(options.data / "traces" / "openb")
    if nodes is None or not pods:
        print("missing: openb node or pod lists", file=sys.stderr)
        return 2
    wanted = options.traces.split(",") if options.traces else list(pods)
    machines = openb.machines(nodes)
    found = {name: measure(openb.trace(pods[name]), machines, options.seeds) for name in wanted}
    print(json.dumps(found, indent=None if options.json else 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
