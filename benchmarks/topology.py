"""What does placing by capability and topology save, beside placing by counts?

`python -m benchmarks.topology [--data ../shared/data] [--json]`. Servers, jobs, contention model
and its parameters: benchmarks/servers.py, benchmarks/data/contention.json, scheduling/crater/contention.py.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.count_based import CountBased
from benchmarks.server_jobs import noisy, trials
from benchmarks.servers import Setting, servers, setting
from benchmarks.topology_runs import Run, row_of
from scheduling.crater.plan import plan
from scheduling.crater.rehearse import Planner, rehearse

NODES, JOBS, BUSY, RUNS, STREAM = 10, 500, 0.75, 5, 42
POLICIES: Mapping[str, Planner] = {
    "crater": plan,
    "least_allocated": CountBased(is_packing=False, is_single_numa=False),
    "most_allocated": CountBased(is_packing=True, is_single_numa=False),
    "least_allocated_single_numa": CountBased(is_packing=False, is_single_numa=True),
    "most_allocated_single_numa": CountBased(is_packing=True, is_single_numa=True),
}


def main() -> None:
    """Print the figures, with how to read them unless --json is given."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, help="not needed: everything here is synthetic and ships with the code")
    options.add_argument("--json", action="store_true")
    options.add_argument("--nodes", type=int, default=NODES)
    options.add_argument("--jobs", type=int, default=JOBS)
    options.add_argument("--busy", type=float, default=BUSY, help="share of the GPUs that the jobs ask for")
    options.add_argument("--runs", type=int, default=RUNS)
    chosen = options.parse_args()
    answer = measure(setting(), chosen.nodes, chosen.jobs, chosen.busy, chosen.runs)
    sys.stdout.write(json.dumps(answer, indent=None if chosen.json else 1) + "\n")
    if not chosen.json:
        sys.stdout.write(READ + "\n")


def measure(found: Setting, count: int, jobs: int, busy: float, runs: int) -> dict[str, Any]:
    """Everything in the shape of the issue, with each baseline beside it."""
    nodes = servers(count, found.server)
    gpus = sum(device.type == "gpu" for node in nodes for device in node.devices)
    plain = trials(found, jobs, busy * gpus, STREAM)
    table = {}
    for name, planner in POLICIES.items():
        played = []
        for seed in range(runs):
            mine = noisy(plain, found.noise, seed)
            outcomes, watched = rehearse(nodes, mine, planner, found.parameters)
            played.append(Run(outcomes, watched, {t.request.job: t for t in mine}))
        table[name] = row_of(played)
    ours, others = table["crater"], {name: row for name, row in table.items() if name != "crater"}
    least = min(row["pcie_over_load_hours"] for row in others.values())
    return {
        "avoidable_cross_numa": ours["avoidable_cross_numa"],
        "pcie_contention_ratio": round(ours["pcie_over_load_hours"] / least, 4) if least else None,
        "nvme_over_depth": ours["nvme_over_depth"],
        "slowdown": ours["slowdown"],
        "spread_pct": ours["spread_pct"],
        "pcie_contention_ratio_by_baseline": {
            name: round(ours["pcie_over_load_hours"] / row["pcie_over_load_hours"], 4)
            for name, row in others.items()
            if row["pcie_over_load_hours"]
        },
        "policies": table,
        "setting": {"nodes": count, "gpus": gpus, "jobs": jobs, "busy": busy, "runs": runs},
    }


READ = """How to read it
Synthetic servers (2 sockets, 4 PCIe switches, 8 GPUs, 4 drives) and a stated contention model, not a measurement; the
same jobs for every policy, five runs with noise of speed and of real demand. policies: kube-scheduler-like least
allocated (spreading) and most allocated (packing), each also with the single-NUMA kubelet policy.
avoidable_cross_numa: placements over two sockets while some node had room on one (target 0).
pcie_contention_ratio: load of PCIe above capacity, summed over links and hours, over that of the BEST baseline
  (target <= 0.28). nvme_over_depth: starts that put a drive over its queue depth (target 0).
slowdown: time running / time alone and well placed. arrival_to_end_over_alone counts waiting too: capability-aware
  placement may wait where counting would start into contention.
spread_pct: nine jobs in ten vary by less than this (+-) from run to run (target <= 2)."""

if __name__ == "__main__":
    main()
