"""Does the planner's lead hold on workloads and clusters nobody tuned it for?

    python -m benchmarks.heldout --data DIR [--json] [--cases cpu300,default@mixed] [--keep FOLDER]

Makes pod lists from the published ones (default; gpuspec33 where pods insist on models) by pods drawn with
replacement until a kind of pod has the named share, and clusters from the published node list
(other sizes, other mixes of models), and runs the openb protocol on each as placement.py does:
`{traces, mean_gain_pp, worst_gain_pp, seeds, us_per_decision}`. `--keep` leaves the made lists in
a folder, for `placement --nodes FILE --pods FILE`. Nothing here was used to choose a constant.
"""

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks import openb, placement
from benchmarks.streams import common_options, nodes_of, side_by_side

Row = dict[str, str]
SEED = 4242  # of the making; streams have the seeds of placement.py
CASES = (
    *("cpu150", "cpu300", "gpushare30", "gpushare70", "multigpu25", "multigpu60", "gpuspec15", "gpuspec30"),
    *("default@resampled", "default@small", "default@mixed", "gpushare70@mixed", "gpuspec15@mixed", "cpu150@large"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Make, run and print; 2 when the lists to start from are missing."""
    options = _options(argv)
    nodes, known = nodes_of(options.data), openb.known(options.data / "traces" / "openb")
    if nodes is None or not {"default", "gpuspec33"} <= known.keys():
        print("missing: openb node list or pod lists default and gpuspec33", file=sys.stderr)
        return 2
    plain, insisting = openb.rows(nodes), {True: openb.rows(known["gpuspec33"]), False: openb.rows(known["default"])}
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        made = {
            case: written(case, plain, insisting[case.startswith("gpuspec")], folder)
            for case in options.cases.split(",")
        }
        jobs: list[placement.Job] = [(*lists, seed) for lists, seed in product(made.values(), options.seeds)]
        runs = list(side_by_side(placement.play, jobs, options.jobs))
    each, found = len(options.seeds), {}
    for number, case in enumerate(made):
        found[case] = placement.means([curves for curves, _ in runs[number * each : (number + 1) * each]])
    print(json.dumps(placement.report(found, options.seeds, [m for _, m in runs]), indent=None if options.json else 1))
    return 0


def written(case: str, nodes: list[Row], pods: list[Row], folder: Path) -> tuple[Path, Path]:
    """(node list, pod list) of a case, as files."""
    trace, _, cluster = case.partition("@")
    chance = np.random.default_rng(SEED)
    lists = folder / f"{case}.nodes.csv", folder / f"{case}.pods.csv"
    for path, rows in zip(lists, (cluster_of(cluster, nodes, chance), trace_of(trace, pods, chance)), strict=True):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return lists


def cluster_of(name: str, nodes: list[Row], chance: np.random.Generator) -> list[Row]:
    """The published nodes, or nodes drawn from them: `mixed` has as many of each model."""
    models = sorted({row["model"] for row in nodes})
    of_model = {model: [row for row in nodes if row["model"] == model] for model in models}
    size = {"": 0, "resampled": len(nodes), "small": 300, "large": 2 * len(nodes), "mixed": len(nodes)}[name]
    found = list(nodes) if not size else []
    for _ in range(size):
        pool = of_model[models[chance.integers(len(models))]] if name == "mixed" else nodes
        found.append(pool[chance.integers(len(pool))])
    return found


def trace_of(name: str, pods: list[Row], chance: np.random.Generator) -> list[Row]:
    """The default pods with the named share of a kind: per mille of pods after `cpu`, else per cent."""
    kind, number = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    if not number:
        return pods
    if kind == "cpu":
        return _drawn(pods, lambda row: not _milli(row), lambda row: 1, int(number) / 1000, chance)
    plain, gpu = [row for row in pods if not _milli(row)], [row for row in pods if _milli(row)]
    belongs: Callable[[Row], bool] = {
        "gpushare": lambda row: _milli(row) < 1000,
        "multigpu": lambda row: int(row["num_gpu"]) > 1,
        "gpuspec": lambda row: bool(row["gpu_spec"]),
    }[kind]
    weight: Callable[[Row], int] = (lambda row: 1) if kind == "gpuspec" else _milli
    return _renamed(plain + _drawn(gpu, belongs, weight, int(number) / 100, chance))


def _drawn(
    rows: list[Row],
    belongs: Callable[[Row], bool],
    weight: Callable[[Row], int],
    share: float,
    chance: np.random.Generator,
) -> list[Row]:
    """As much weight as before, this share of it in rows that belong."""
    total, found = sum(map(weight, rows)), []
    for part, pool in (
        (share, [row for row in rows if belongs(row)]),
        (1 - share, [row for row in rows if not belongs(row)]),
    ):
        left = part * total
        while left > 0:
            found.append(pool[chance.integers(len(pool))])
            left -= weight(found[-1])
    return _renamed(found)


def _renamed(rows: list[Row]) -> list[Row]:
    return [{**row, "name": f"pod-{number:05d}"} for number, row in enumerate(rows)]


def _milli(row: Row) -> int:
    return int(row["num_gpu"]) * int(row["gpu_milli"] or 0)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES), help="names, separated by commas")
    parser.add_argument("--keep", type=Path, help="an existing folder for the made lists")
    common_options(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
