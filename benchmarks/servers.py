"""Which servers and jobs does the topology benchmark simulate? Built from benchmarks/data/contention.json.

Two sockets a server, two PCIe switches a socket, on each switch two GPUs, one drive and one uplink
to the socket; the four GPUs of a socket are one NVLink island. Jobs are drawn from a seeded
generator: kind by weight, length uniform in minutes, Poisson arrivals at a share of the GPUs.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scheduling.crater.appetite import Parameters
from scheduling.crater.model import Device, Node

GB = 10**9
FILE = Path(__file__).parent / "data" / "contention.json"
DRIVE_BYTES = 3_840 * GB


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
        "storage_bandwidth": int(server["drive_bytes_s"]),
        "storage_queue_slots": server["drive_depth"],
    }
    island = {"nvlink_island": str(socket)}
    port = f"{switch}/uplink"
    gpus = [f"{switch}/gpu{index}" for index in range(server["gpus_per_switch"])]
    return [
        Device(port, "link", socket, None, uplink, uplink),
        Device(f"{switch}/drive", "storage", socket, port, drive, drive),
        *(Device(uuid, "gpu", socket, port, card, card, island) for uuid in gpus),
    ]
