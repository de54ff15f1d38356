"""A recorded server built by hand: two sockets, eight cards on NVSwitches, eight InfiniBand cards, four NVMe drives.

Two PCIe switches a socket, each with two GPUs, two network cards and a drive, as such machines are built. `nvml.json`
holds the driver's answers, so `alldata-agent probe --root` shows the cards where there is no driver.
"""

import json
from pathlib import Path
from typing import Any

from tests.pure.agent_trees import base, block_device, link, numa_node, write

LINKS = 18
GPUS = 8
_SPEED_MBPS = 26_562
_MEMORY = 80 << 30


def uuid(index: int) -> str:
    return f"GPU-0000000{index}-0000-0000-0000-000000000000"


def build(root: Path) -> Path:
    """The tree; returns its root."""
    base(root, cpus="0-63", memory_gib=2048)
    write(root, {"proc/cpuinfo": "vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+"})
    write(root, {"sys/devices/system/node/online": "0-1", "proc/sys/kernel/numa_balancing": "1"})
    numa_node(root, 0, cpus="0-31", memory_gib=1024, distance="10 21")
    numa_node(root, 1, cpus="32-63", memory_gib=1024, distance="21 10")
    for switch in range(4):
        _switch(root, switch)
    (root / "nvml.json").write_text(json.dumps({"driver": _driver(), "cards": [_card(i) for i in range(GPUS)]}))
    return root


def address(index: int) -> str:
    """Of GPU `index`: bus 0x1a for the first, two a switch."""
    return f"0000:{0x1A + 0x10 * (index // 2) + index % 2:02x}:00.0"


def _switch(root: Path, switch: int) -> None:
    numa = switch // 2
    host = f"sys/devices/pci0000:{0x15 + switch:02x}"
    port = f"{host}/0000:{0x15 + switch:02x}:01.0"
    _pci(root, port, numa, "0x060400", "16")
    upstream = f"{port}/0000:{0x16 + 0x10 * switch:02x}:00.0"
    _pci(root, upstream, numa, "0x060400", "16")
    for place in range(2):
        index = 2 * switch + place
        _pci(root, f"{upstream}/{address(index)}", numa, "0x030200", "16", vendor="0x10de")
        _fabric(root, f"{upstream}/0000:{0x1C + 0x10 * switch + place:02x}:00.0", index, numa)
    drive = f"{upstream}/0000:{0x1E + 0x10 * switch:02x}:00.0"
    _pci(root, drive, numa, "0x010802", "4")
    _drive(root, drive, switch)


def _pci(root: Path, path: str, numa: int, kind: str, width: str, vendor: str = "0x8086") -> None:
    speeds = {"max_link_speed": "32.0 GT/s PCIe", "current_link_speed": "32.0 GT/s PCIe"}
    widths = {"max_link_width": width, "current_link_width": width}
    facts = speeds | widths | {"numa_node": str(numa), "class": kind, "vendor": vendor}
    write(root, {f"{path}/{name}": text for name, text in facts.items()})
    link(root, f"sys/bus/pci/devices/{path.rpartition('/')[2]}", path)


def _fabric(root: Path, path: str, index: int, numa: int) -> None:
    _pci(root, path, numa, "0x020700", "16", vendor="0x15b3")
    port = f"{path}/infiniband/mlx5_{index}/ports/1"
    told = {"rate": "400 Gb/sec (4X NDR)", "link_layer": "InfiniBand", "state": "4: ACTIVE"}
    write(root, {f"{port}/{name}": text for name, text in told.items()})
    link(root, f"sys/class/infiniband/mlx5_{index}", f"{path}/infiniband/mlx5_{index}")


def _drive(root: Path, path: str, number: int) -> None:
    controller = f"{path}/nvme/nvme{number}"
    told = {"sqsize": "1023", "queue_count": "65", "model": "SAMSUNG MZQL21T9HCJR-00A07", "transport": "pcie"}
    write(root, {f"{controller}/{name}": text for name, text in told.items()})
    register = (0x0020_0020_2801_3FFF).to_bytes(8, "little")
    (root / path / "resource0").write_bytes(register + bytes(4088))
    link(root, f"{controller}/device", path)
    link(root, f"sys/class/nvme/nvme{number}", controller)
    queue = {"size": "3750748848", "queue/nr_requests": "1023", "queue/rotational": "0", "queue/scheduler": "[none]"}
    block_device(root, f"nvme{number}n1", controller, queue | {"stat": "0 " * 17})


def _driver() -> dict[str, Any]:
    return {"SystemGetDriverVersion": "550.54.15"}


def _card(index: int) -> dict[str, Any]:
    return {
        "DeviceGetUUID": uuid(index),
        "DeviceGetName": "NVIDIA H100 80GB HBM3",
        "DeviceGetPciInfo": {"busId": f"0000{address(index).upper()}"},
        "DeviceGetCudaComputeCapability": [9, 0],
        "DeviceGetNumGpuCores": 132 * 128,
        "DeviceGetMigMode": [0, 0],
        "DeviceGetMemoryInfo": {"total": _MEMORY, "used": 0},
        "DeviceGetMaxClockInfo": 2619,
        "DeviceGetMemoryBusWidth": 5120,
        "DeviceGetMaxPcieLinkGeneration": 5,
        "DeviceGetMaxPcieLinkWidth": 16,
        "DeviceGetPersistenceMode": 0,
        "DeviceGetRemappedRows": [0, 0, 0, 0],
        "DeviceGetNvLinkState": [1] * LINKS,
        "DeviceGetNvLinkRemoteDeviceType": [2] * LINKS,
        "DeviceGetFieldValues": [{"nvmlReturn": 0, "value": {"uiVal": _SPEED_MBPS}}],
    }
