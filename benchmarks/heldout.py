"""Does the planner's lead hold on workloads and clusters nobody tuned it for?

    python -m benchmarks.heldout --data DIR [--json] [--cases cpu300,default@mixed] [--keep FOLDER]

Makes pod and node lists from the published ones (made.py says how) and runs the openb protocol on
each as placement.py does: `{traces, mean_gain_pp, worst_gain_pp, seeds, us_per_decision}`. `--keep`
leaves the made lists in a folder, for `placement --nodes FILE --pods FILE`. No constant was chosen
on the cases of UNSEEN; those of KNOWN were looked at, on other seeds, when memory was first priced.
"""

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks import openb, placement
from benchmarks.made import Row, cluster_of, in_bursts, trace_of
from benchmarks.streams import common_options, nodes_of, side_by_side

Case = tuple[str, placement.Job]
SEED = 4242  # of the making; streams have the seeds of placement.py
KNOWN = (
    *("cpu150", "cpu300", "gpushare30", "gpushare70", "multigpu25", "multigpu60", "gpuspec15", "gpuspec30"),
    *("default@resampled", "default@small", "default@mixed", "gpushare70@mixed", "gpuspec15@mixed", "cpu150@large"),
)
UNSEEN = (
    *("gpushare100+gpuspec33", "cpu250+multigpu50", "gpuspec33+multigpu50@mixed", "cores130", "memory130"),
    *("multigpu40~bursts", "default@tiny", "multigpu50@eights", "gpushare70@few", "cpu300@eights"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Make, run and print; 2 when the lists to start from are missing."""
    options = _options(argv)
    nodes, known = nodes_of(options.data), openb.known(options.data / "traces" / "openb")
    cases = options.cases.split(",")
    if nodes is None or needed(cases) - known.keys():
        print(f"missing: openb node list or pod lists {', '.join(sorted(needed(cases)))}", file=sys.stderr)
        return 2
    machines, published = openb.rows(nodes), {name: openb.rows(known[name]) for name in needed(cases)}
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        made = {case: written(case, machines, published, folder) for case in cases}
        jobs: list[Case] = [(case, (*made[case], seed)) for case, seed in product(cases, options.seeds)]
        runs = list(side_by_side(play, jobs, options.jobs))
    each, found = len(options.seeds), {}
    for number, case in enumerate(cases):
        found[case] = placement.means([curves for curves, _ in runs[number * each : (number + 1) * each]])
    print(json.dumps(placement.report(found, options.seeds, [m for _, m in runs]), indent=None if options.json else 1))
    return 0


def needed(cases: Sequence[str]) -> set[str]:
    """The published lists that the cases are made from."""
    traces = [case.partition("~")[0].partition("@")[0] for case in cases]
    return {"default", "gpuspec33"}.union(*(trace.split("+") for trace in traces if "+" in trace))


def play(case: Case) -> placement.Stream:
    """All policies on one stream of a case."""
    return placement.play(case[1], in_bursts if case[0].endswith("~bursts") else placement.as_drawn)


def written(case: str, nodes: list[Row], published: Mapping[str, list[Row]], folder: Path) -> tuple[Path, Path]:
    """(node list, pod list) of a case, as files."""
    trace, _, cluster = case.partition("~")[0].partition("@")
    chance = np.random.default_rng(SEED)
    lists = folder / f"{case}.nodes.csv", folder / f"{case}.pods.csv"
    for path, rows in zip(lists, (cluster_of(cluster, nodes, chance), trace_of(trace, published, chance)), strict=True):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return lists


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(KNOWN + UNSEEN), help="names, separated by commas")
    parser.add_argument("--keep", type=Path, help="an existing folder for the made lists")
    common_options(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
