"""Which jobs come to the simulated servers? Drawn from seeded generators, kinds and rates from the data file.

Kind by weight, length uniform in minutes, Poisson arrivals at a share of the GPUs.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.servers import GB, Setting
from scheduling.crater.appetite import Appetite
from scheduling.crater.model import Need, Policy, Request
from scheduling.crater.trial import Trial

GIB, MINUTE_MS, CLAIM_BYTES = 2**30, 60_000, 100 * GB


def trials(found: Setting, jobs: int, gpus_busy: float, seed: int) -> list[Trial]:
    """The jobs of one stream without noise: the same for every policy and every run."""
    chance = np.random.default_rng(seed)
    kinds = sorted(found.jobs)
    weights = np.array([found.jobs[kind]["weight"] for kind in kinds], dtype=float)
    odds = weights / weights.sum()
    gpu_ms = sum(
        p * found.jobs[k]["gpus"] * sum(found.jobs[k]["minutes"]) / 2 for p, k in zip(odds, kinds, strict=True)
    )
    gaps = chance.exponential(gpu_ms * MINUTE_MS / gpus_busy, jobs)
    arrivals, drawn = np.cumsum(gaps), chance.choice(len(kinds), jobs, p=odds)
    found_trials = []
    for number, (arrives, kind) in enumerate(zip(arrivals.tolist(), drawn.tolist(), strict=True)):
        what = found.jobs[kinds[kind]]
        alone_ms = round(chance.uniform(*what["minutes"]) * MINUTE_MS)
        name = f"{kinds[kind]}-{number:05d}"
        found_trials.append(Trial(_request(name, what, round(arrives), found), alone_ms, _appetite(what)))
    return found_trials


def noisy(plain: list[Trial], noise: Mapping[str, Any], seed: int) -> list[Trial]:
    """The same jobs as one run finds them: own speed and real demand vary."""
    chance = np.random.default_rng(seed)
    speeds = np.exp(chance.normal(0, noise["speed_sigma"], len(plain)))
    demands = np.exp(chance.normal(0, noise["demand_sigma"], len(plain)))
    return [
        replace(trial, noise=float(speed), appetite=_scaled(trial.appetite, float(demand)))
        for trial, speed, demand in zip(plain, speeds, demands, strict=True)
    ]


def _scaled(appetite: Appetite, demand: float) -> Appetite:
    """Rates vary; the depth is what the job is set to, and stays."""
    return replace(
        appetite,
        transfer_bytes_s=appetite.transfer_bytes_s * demand,
        memory_bytes_s=appetite.memory_bytes_s * demand,
        iops=appetite.iops * demand,
        storage_bytes_s=appetite.storage_bytes_s * demand,
        exchange_bytes_s=appetite.exchange_bytes_s * demand,
    )


def _appetite(what: Mapping[str, Any]) -> Appetite:
    return Appetite(
        shares=what["shares"],
        transfer_bytes_s=what["transfer_gbps"] * GB,
        memory_bytes_s=what["memory_gbps"] * GB,
        iops=what["iops"],
        storage_bytes_s=what["storage_gbps"] * GB,
        depth=what["depth"],
        exchange_bytes_s=what["exchange_gbps"] * GB,
    )


def _request(name: str, what: Mapping[str, Any], submitted_ms: int, found: Setting) -> Request:
    """What the job declares: capabilities for a planner that reads them, counts for one that does not."""
    gpus, rate = what["gpus"], found.headroom * GB
    pool = {"memory_bytes": what["memory_gib"] * GIB, "memory_bandwidth": round(what["memory_gbps"] * rate)}
    drive = {
        "storage_bytes": CLAIM_BYTES,
        "storage_iops": round(what["iops"] * found.headroom),
        "storage_bandwidth": round(what["storage_gbps"] * rate),
        "storage_queue_slots": what["depth"],
    }
    card = {"gpu_sm": 1_000_000, "gpu_memory_bytes": 32 * GIB, "pcie_bandwidth": round(what["transfer_gbps"] * rate)}
    needs = (
        Need("cpu", amounts={"cpu_millicores": what["cores"] * 1000}),
        Need("memory", amounts=pool),
        Need("storage", amounts=drive),
        *((Need("gpu", gpus, amounts=card),) if gpus else ()),
    )
    return Request(name, needs, submitted_ms, policy=Policy.FIFO, same=what["same"])
