"""How short are completion times on mixed hardware, and how well is unseen hardware forecast?

`python -m benchmarks.heterogeneity --data ../shared/data [--json]`. Protocol and published figures:
docs/benchmarks-simulation.md. Tuned on seeds 11 and 12, reported on seeds 0, 1 and 2.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import gavel_data, gavel_streams
from benchmarks.gavel_data import Measured
from benchmarks.gavel_runs import CONTROL_RATE, control_h, jct_h, lone_h
from benchmarks.makespan import makespan_h
from benchmarks.unseen import unseen_errors

SEEDS, BATCH = (0, 1, 2), 500
RATES = {"5.2": "5.20", "5.6": "5.60"}


def main() -> None:
    """Print the figures, with how to read them unless --json is given."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--json", action="store_true")
    options.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    chosen = options.parse_args()
    try:
        measured = gavel_data.read(chosen.data)
    except FileNotFoundError as missing:
        sys.exit(f"The Gavel tables are not there: {missing.filename}. Name their folder with --data.")
    answer = measure(measured, chosen.data, chosen.seeds)
    sys.stdout.write(json.dumps(answer, indent=None if chosen.json else 1) + "\n")
    if not chosen.json:
        sys.stdout.write(READ + "\n")


def measure(measured: Measured, data: Path, seeds: list[int]) -> dict[str, Any]:
    """Everything in the shape of the issue, with published figures and controls beside it."""
    runs = {key: [jct_h(measured, float(key), seed) for seed in seeds] for key in RATES}
    alone = {key: [jct_h(measured, float(key), seed, is_sharing=False) for seed in seeds] for key in RATES}
    many = [makespan_h(measured, gavel_streams.batch(measured, BATCH, seed)) for seed in seeds]
    single = [makespan_h(measured, gavel_streams.batch(measured, BATCH, seed, (1.0, 0, 0, 0))) for seed in seeds]
    errors = unseen_errors(measured)
    return {
        "jct_h": {key: _mean(found) for key, found in runs.items()},
        "makespan_h": _mean([length for length, _ in many]),
        "roofline_error": errors["capabilities"],
        "roofline_error_with_neighbours": errors["neighbours"],
        "roofline_error_by_target": errors["by_target"],
        "jct_h_by_seed": {key: [round(value, 2) for value in found] for key, found in runs.items()},
        "jct_h_without_sharing": {key: _mean(found) for key, found in alone.items()},
        "jct_h_if_never_waiting": {key: _mean([lone_h(measured, float(key), seed) for seed in seeds]) for key in RATES},
        "published_jct_h": {key: gavel_data.published(data, rate) for key, rate in RATES.items()},
        "control_fifo_jct_h": _mean([control_h(measured, seed) for seed in seeds]),
        "control_fifo_published_jct_h": gavel_data.published(data, f"{CONTROL_RATE:.2f}").get("fifo"),
        "makespan_h_single_gpu": _mean([length for length, _ in single]),
        "makespan_bound_h": {
            "multi": _mean([bound for _, bound in many]),
            "single": _mean([bound for _, bound in single]),
        },
        "published_makespan_h": {"fifo": 427, "gandiva": 264, "gavel": 169, "gavel_sharing": 168},
        "seeds": seeds,
    }


def _mean(values: list[float]) -> float:
    return round(float(np.mean(values)), 2)


READ = """How to read it
jct_h: mean completion time in hours of jobs 4000-5000, Poisson arrivals at that many jobs an hour on 36 V100 + 36 P100
  + 36 K80 (Gavel's protocol, our random streams), every start or move charged 30 s. Lower is better; published_jct_h
  has the study's policies (max_min_fairness_packed is Gavel with space sharing, its best; allox aims at mean time).
  Unlike LAS policies ours knows the work left, as AlloX does. jct_h_without_sharing keeps one job to a device.
jct_h_if_never_waiting: the same jobs each at once and alone on its best class: our streams' floor.
control_fifo_jct_h: class-blind FIFO in this simulator beside the published FIFO: a check of the protocol.
makespan_h: hours until the last of 500 jobs (1/2/4/8 GPUs) ends; the study does not say in our copy which of its two
  traces gave 169 h, so the single-GPU figure stands beside it. makespan_bound_h: no schedule can be shorter.
roofline_error: |predicted - measured| / measured duration of 26 job types on each class from the other two, using
  published TFLOPS and GB/s only; _with_neighbours also uses other jobs' runs on the target class (its own left out)."""

if __name__ == "__main__":
    main()
