"""Which capacities have been measured on this machine, and when?

Measuring takes at most about four seconds in a child process and waits for an idle machine. The
result is kept in the state directory for a day, so a restart does not disturb running jobs. A
measured capacity replaces a missing or promised one in the facts that are registered, with the
time it was measured.
"""

import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from alldata.agent import bench, cuda
from alldata.agent.clock import wall_ms
from alldata.agent.files import read_json, write_whole
from alldata.agent.probe import nvme
from alldata.agent.probe.machine import Machine
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import AttributeValue, Capacity, Device, Quality

KEEP_MS = 24 * 3_600_000
MEMORY_BUDGET_S = 1.2
DISK_BUDGET_S = 2.0
CARDS_BUDGET_S = 2.0
METHODS = {
    "memory_bandwidth": "memmove_2x_copied",
    "storage_iops": f"random_4k_read_qd{bench.QUEUE_DEPTH}",
    "hbm_bandwidth": "cuda_copy_2x_copied",
}
FILE = "calibration.json"
#: Exit status of a calibration that found the machine busy.
BUSY = 3


@dataclass(frozen=True, slots=True)
class Calibration:
    """Measured values by NUMA node, and of the drive under the run directories."""

    at_ms: int
    boot_cpus: int
    memory: dict[int, int]
    drive: str | None = None
    disk: bench.Disk | None = None
    cards: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        shown = None if self.disk is None else {name: getattr(self.disk, name) for name in bench.Disk.__slots__}
        return {
            "at_ms": self.at_ms,
            "cpus": self.boot_cpus,
            "memory_bandwidth": {str(node): rate for node, rate in self.memory.items()},
            "drive": self.drive,
            "disk": shown,
            "hbm_bandwidth": self.cards,
            "methods": METHODS,
        }


def measure(machine: Machine, runs_dir: Path, tree: Tree, idle_cards: tuple[str, ...] = ()) -> Calibration:
    """Measure now, in this process. Only for a live machine that has time for it, and of its cards the idle ones."""
    pools = [pool for pool in machine.pools if pool.cpus and pool.memory_bytes]
    memory = {}
    for pool in pools:
        room = pool.memory_bytes or 0
        rate = bench.memory_bandwidth(pool.cpus, MEMORY_BUDGET_S / len(pools), room)
        if rate:
            memory[pool.node] = rate
    drive = nvme.backing(tree, runs_dir)
    found = bench.disk(runs_dir, DISK_BUDGET_S) if drive else None
    library = cuda.library() if idle_cards else None
    cards = cuda.bandwidths(library, idle_cards, CARDS_BUDGET_S) if library else {}
    return Calibration(wall_ms(), machine.cores, memory, drive, found, cards)


def start_child(state_dir: Path, runs_dir: Path, *, despite_load: bool = False) -> subprocess.Popen[bytes]:
    """Measure in a child, which leaves its result in the state directory."""
    command = [
        sys.executable,
        "-m",
        "alldata.agent",
        "calibrate",
        "--spool",
        str(state_dir),
        "--runs-dir",
        str(runs_dir),
        *(["--despite-load"] if despite_load else []),
    ]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def save(state_dir: Path, calibration: Calibration) -> None:
    write_whole(state_dir / FILE, json.dumps(calibration.as_json()).encode())


def load(state_dir: Path, machine: Machine, now_ms: int) -> Calibration | None:
    """The kept result, unless it is too old or from a machine of another size."""
    found = read_json(state_dir / FILE)
    if found is None:
        return None
    try:
        kept = Calibration(
            at_ms=int(found["at_ms"]),
            boot_cpus=int(found["cpus"]),
            memory={int(node): int(rate) for node, rate in found["memory_bandwidth"].items()},
            drive=found["drive"],
            disk=bench.Disk(**found["disk"]) if found["disk"] else None,
            cards={str(uuid): int(rate) for uuid, rate in found.get("hbm_bandwidth", {}).items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    is_fresh = 0 <= now_ms - kept.at_ms < KEEP_MS
    return kept if is_fresh and kept.boot_cpus == machine.cores else None


def apply(devices: tuple[Device, ...], calibration: Calibration | None) -> tuple[Device, ...]:
    """The devices with what has been measured."""
    if calibration is None:
        return devices
    return tuple(_applied(device, calibration) for device in devices)


def _applied(device: Device, found: Calibration) -> Device:
    if device.type == "memory" and device.numa_node in found.memory:
        value = Capacity(found.memory[device.numa_node], "measured", "measured", found.at_ms)
        return _with(device, {"memory_bandwidth": value}, {"bandwidth_method": METHODS["memory_bandwidth"]})
    if device.uuid in found.cards:
        value = Capacity(found.cards[device.uuid], "measured", "measured", found.at_ms)
        return _with(device, {"hbm_bandwidth": value}, {"bandwidth_method": METHODS["hbm_bandwidth"]})
    if device.type == "storage" and device.name == found.drive and found.disk is not None:
        quality: Quality = "measured" if found.disk.is_direct else "proxy"
        reason = None if found.disk.is_direct else "page_cache"
        return _with(
            device,
            {
                "storage_iops": Capacity(found.disk.iops, "measured", quality, found.at_ms, reason),
                "storage_bandwidth": Capacity(found.disk.bandwidth, "measured", quality, found.at_ms, reason),
            },
            {"latency_us": found.disk.latency_us, "iops_method": METHODS["storage_iops"]},
        )
    return device


def _with(device: Device, capacities: dict[str, Capacity], attributes: dict[str, AttributeValue]) -> Device:
    return replace(
        device,
        capacities={**device.capacities, **capacities},
        attributes={**device.attributes, **attributes},
    )
