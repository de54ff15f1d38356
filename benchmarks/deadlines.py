"""How many deadlines are met, and is a promised probability worth its number?

`python -m benchmarks.deadlines --data ../shared/data [--json] [--traces 195job cluster01]`.
Method and reading: docs/benchmarks-simulation.md.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import elasticflow
from benchmarks.calibration import brier, calibration
from benchmarks.deadline_policies import Refusals, admitted, queued
from benchmarks.elasticflow import DeadlineJob, Scaling, devices_for
from benchmarks.promises import Replay
from scheduling.crater.promise import Way


def main() -> None:
    """Print the figures, with how to read them unless --json is given."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--json", action="store_true")
    options.add_argument("--traces", nargs="+", help="only these; all eleven when absent")
    chosen = options.parse_args()
    try:
        traces = elasticflow.read(chosen.data)
    except FileNotFoundError as missing:
        sys.exit(f"The ElasticFlow traces are not there: {missing.filename}. Name their folder with --data.")
    answer = measure(traces, chosen.traces or list(traces))
    sys.stdout.write(json.dumps(answer, indent=None if chosen.json else 1) + "\n")
    if not chosen.json:
        sys.stdout.write(READ + "\n")


def measure(traces: dict[str, list[DeadlineJob]], names: Sequence[str]) -> dict[str, Any]:
    """Everything in the shape of the issue, over all named traces together and for each."""
    scaling, refused = Scaling(traces), Refusals()
    by_trace, cases = {}, []
    for name in names:
        by_trace[name], mine = _compared(traces[name], scaling)
        refused = refused.plus(mine)
        cases += Replay(traces[name], devices_for(traces[name])).run()
    jobs = sum(row["jobs"] for row in by_trace.values())
    policies = [key for key in next(iter(by_trace.values())) if key not in ("jobs", "gpus")]
    shares = {key: round(sum(row[key] * row["jobs"] for row in by_trace.values()) / jobs, 4) for key in policies}
    return {
        "met": {key: shares[key] for key in ("fifo", "edf", "admission_edf", "crater")},
        "calibration": calibration(cases),
        "brier": brier(cases),
        "met_unknown_durations": {"crater": round(sum(case.kept for case in cases) / len(cases), 4)},
        "met_variants": {key: shares[key] for key in ("possible_as_asked", "possible")},
        "refusals": asdict(refused),
        "by_trace": by_trace,
        "jobs": jobs,
    }


def _compared(jobs: list[DeadlineJob], scaling: Scaling) -> tuple[dict[str, Any], Refusals]:
    units, count = devices_for(jobs), len(jobs)
    ours, refused = admitted(jobs, units, scaling.ways)
    met = {
        "fifo": queued(jobs, units, is_edf=False),
        "edf": queued(jobs, units, is_edf=True),
        "admission_edf": admitted(jobs, units, as_asked)[0],
        "crater": ours,
        "possible_as_asked": sum(_is_possible(job, as_asked(job), units) for job in jobs),
        "possible": sum(_is_possible(job, scaling.ways(job), units) for job in jobs),
    }
    return {"jobs": count, "gpus": units, **{key: round(value / count, 4) for key, value in met.items()}}, refused


def as_asked(job: DeadlineJob) -> list[Way]:
    """Only the device count that the job names."""
    return [Way(job.units, job.lasts_ms)]


def _is_possible(job: DeadlineJob, ways: Sequence[Way], units: int) -> bool:
    return any(way.units <= units and way.lasts_ms <= job.allowed_ms for way in ways)


READ = """How to read it
met: share of all jobs of the traces that end by their deadline, on equal GPUs (by_trace: asked GPU time is 90 % of
  what is offered, whole 8-GPU nodes). All policies know durations. fifo and edf run every job, late or not, at the
  asked GPU count; admission_edf refuses what it cannot promise; crater may also choose another measured GPU count.
met_variants: possible_as_asked is the ceiling without changing GPU counts (deadlines are 0.5-1.5 x duration, so half
  are lost at submission), possible with any measured count, queueing left out of both.
calibration: durations known only from finished jobs, promises made at submission; a good table has met close to
  promised. brier: mean squared error, lower is better, beside promising everyone the base rate.
refusals (crater): impossible even on an empty cluster; missed although put before all that waited; at_others_cost: in
  time only by breaking a promise; needless: in time and nothing broken (the greedy order's misses; 0 is perfect)."""

if __name__ == "__main__":
    main()
