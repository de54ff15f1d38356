"""Which servers and jobs does the topology benchmark simulate? Built from benchmarks/data/contention.json.

Two sockets a server, two PCIe switches a socket, on each switch two GPUs, one drive and one uplink
to the socket; the four GPUs of a socket are one NVLink island. Jobs are drawn from a seeded
generator: kind by weight, length uniform in minutes, Poisson arrivals at a share of the GPUs.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scheduling.crater.contention import Appetite, Parameters
from scheduling.crater.model import Device, Need, Node, Policy, Request
from scheduling.crater.rehearse import Trial

GIB, GB, MINUTE_MS = 2**30, 10**9, 60_000
FILE = Path(__file__).parent / "data" / "contention.json"
DRIVE_BYTES, CLAIM_BYTES = 3_840 * GB, 100 * GB


@dataclass(frozen=True)
class Setting:
    """The data file, read."""

    parameters: Parameters
    server: Mapping[str, Any]
    noise: Mapping[str, Any]
    headroom: float
    jobs: Mapping[str, Mapping[str, Any]]


def setting(file: Path = FILE) -> Setting:
    """Read the data file."""
    raw = json.loads(file.read_text())
    values = {name: entry["value"] for name, entry in raw["model"].items()}
    return Setting(Parameters(**values), raw["server"], raw["noise"], raw["declared"]["headroom"], raw["jobs"])


def servers(count: int, server: Mapping[str, Any]) -> tuple[Node, ...]:
    """Equal, empty servers."""
    return tuple(_server(f"s{number:03d}", server) for number in range(count))


def _server(name: str, server: Mapping[str, Any]) -> Node:
    devices: list[Device] = []
    for socket in range(server["sockets"]):
        devices += _socket(name, socket, server)
        for index in range(server["switches_per_socket"]):
            devices += _switch(f"{name}/switch{socket}{index}", socket, server)
    return Node(name, tuple(devices), simulated=True)


def _socket(name: str, socket: int, server: Mapping[str, Any]) -> list[Device]:
    count = server["cores_per_socket"]
    cores, pool = {"cpu_millicores": count * 1000}, _pool(server)
    numbers = tuple(range(socket * count, (socket + 1) * count))
    return [
        Device(f"{name}/numa{socket}/cpu", "cpu", socket, None, cores, cores, cpus=numbers),
        Device(f"{name}/numa{socket}/memory", "memory", socket, None, pool, pool),
    ]


def _pool(server: Mapping[str, Any]) -> dict[str, int]:
    return {"memory_bytes": int(server["memory_bytes"]), "memory_bandwidth": int(server["memory_bytes_s"])}


def _switch(switch: str, socket: int, server: Mapping[str, Any]) -> list[Device]:
    uplink = {"pcie_bandwidth": int(server["uplink_bytes_s"])}
    card = {
        "gpu_sm": 1_000_000,
        "gpu_memory_bytes": int(server["gpu_memory_bytes"]),
        "hbm_bandwidth": int(server["hbm_bytes_s"]),
        **uplink,
    }
    drive = {
        "storage_bytes": DRIVE_BYTES,
        "storage_iops": server["drive_iops"],
        "storage_queue_slots": server["drive_depth"],
    }
    island = {"nvlink_island": f"{switch.split('/')[0]}/{socket}"}
    gpus = [f"{switch}/gpu{index}" for index in range(server["gpus_per_switch"])]
    return [
        Device(f"{switch}/uplink", "link", socket, switch, uplink, uplink),
        Device(f"{switch}/drive", "storage", socket, switch, drive, drive),
        *(Device(uuid, "gpu", socket, switch, card, card, island) for uuid in gpus),
    ]


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
    uplinks = 1 if what["same"] == "pcie_root" else gpus // 2
    uplink = round((what["transfer_gbps"] * gpus + what["storage_gbps"]) * rate / uplinks)
    pool = {"memory_bytes": what["memory_gib"] * GIB, "memory_bandwidth": round(what["memory_gbps"] * rate)}
    drive = {
        "storage_bytes": CLAIM_BYTES,
        "storage_iops": round(what["iops"] * found.headroom),
        "storage_queue_slots": what["depth"],
    }
    card = {"gpu_sm": 1_000_000, "gpu_memory_bytes": 32 * GIB, "pcie_bandwidth": round(what["transfer_gbps"] * rate)}
    needs = (
        Need("cpu", amounts={"cpu_millicores": what["cores"] * 1000}),
        Need("memory", amounts=pool),
        Need("storage", amounts=drive),
        Need("link", uplinks, amounts={"pcie_bandwidth": uplink}),
        *((Need("gpu", gpus, amounts=card),) if gpus else ()),
    )
    return Request(name, needs, submitted_ms, policy=Policy.FIFO, same=what["same"])
