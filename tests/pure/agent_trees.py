"""Small machines built by hand: the files of /proc and /sys that the probe reads, nothing else."""

import os
from pathlib import Path

GIB_KB = 1 << 20
PCI = "sys/bus/pci/devices"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def link(root: Path, name: str, target: str) -> None:
    """A relative link, as sysfs has them."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(os.path.relpath(root / target, path.parent))


def base(root: Path, *, cpus: str, memory_gib: int) -> None:
    """What every machine has."""
    write(
        root,
        {
            "proc/sys/kernel/hostname": "recorded",
            "proc/sys/kernel/osrelease": "6.1.0",
            "proc/sys/kernel/random/boot_id": "b007",
            "proc/cpuinfo": "vendor_id\t: GenuineIntel\nmodel name\t: Test CPU",
            "proc/meminfo": f"MemTotal: {memory_gib * GIB_KB} kB\nMemAvailable: {memory_gib * GIB_KB // 2} kB",
            "sys/devices/system/cpu/online": cpus,
        },
    )


def numa_node(root: Path, node: int, *, cpus: str, memory_gib: int, distance: str) -> None:
    where = f"sys/devices/system/node/node{node}"
    kb = memory_gib * GIB_KB
    write(
        root,
        {
            f"{where}/cpulist": cpus,
            f"{where}/distance": distance,
            f"{where}/meminfo": f"Node {node} MemTotal: {kb} kB\nNode {node} MemUsed: {kb // 4} kB",
        },
    )


def pci_card(root: Path, path: str, files: dict[str, str]) -> None:
    """A card at a path of addresses, such as 0000:00:01.0/0000:01:00.0, listed on the bus."""
    where = f"sys/devices/pci0000:00/{path}"
    write(root, {f"{where}/{name}": text for name, text in files.items()})
    link(root, f"{PCI}/{path.rpartition('/')[2]}", where)


def block_device(root: Path, name: str, parent: str, files: dict[str, str]) -> None:
    """A drive below a device directory, listed in sys/block and sys/dev/block."""
    where = f"{parent}/block/{name}" if parent else f"sys/devices/virtual/block/{name}"
    write(root, {f"{where}/{file}": text for file, text in files.items()})
    link(root, f"sys/block/{name}", where)


def two_sockets(root: Path) -> Path:
    """Two NUMA nodes, a memory-only third, an NVMe drive and a silent NVIDIA card on node 1."""
    base(root, cpus="0-7", memory_gib=96)
    write(root, {"sys/devices/system/node/online": "0-1,4"})
    numa_node(root, 0, cpus="0-3", memory_gib=32, distance="10 21 17")
    numa_node(root, 1, cpus="4-7", memory_gib=32, distance="21 10 28")
    numa_node(root, 4, cpus="", memory_gib=32, distance="17 28 10")
    slot = {"max_link_speed": "16.0 GT/s PCIe", "max_link_width": "16", "numa_node": "1", "class": "0x060400"}
    pci_card(root, "0000:00:01.0", slot)
    card = slot | {"vendor": "0x10de", "class": "0x030200", "current_link_speed": "2.5 GT/s PCIe"}
    pci_card(root, "0000:00:01.0/0000:01:00.0", card)
    pci_card(root, "0000:00:02.0", slot | {"max_link_width": "4"})
    pci_card(root, "0000:00:02.0/0000:02:00.0", slot | {"max_link_width": "4", "class": "0x010802"})
    drive = {
        "size": "2000000",
        "queue/nr_requests": "1023",
        "queue/scheduler": "[none] mq-deadline",
        "queue/rotational": "0",
        "device/model": "TEST NVME    ",
        "stat": "10 0 80 0 20 0 160 0 0 5 7 0 0 0 0 0 0",
    }
    block_device(root, "nvme0n1", "sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/nvme/nvme0", drive)
    write(root, {"sys/class/nvme/nvme0/sqsize": "511", "sys/class/nvme/nvme0/queue_count": "9"})
    return root


def small_vm(root: Path) -> Path:
    """Two CPUs, no NUMA directory, a virtio disk among loop, ram and mapped ones."""
    base(root, cpus="0-1", memory_gib=4)
    queue = {"size": "4096000", "queue/nr_requests": "256", "queue/scheduler": "none [mq-deadline]"}
    block_device(root, "vda", "sys/devices/pci0000:00/0000:00:02.0/virtio1", queue | {"mq/0/nr_tags": "256"})
    for pseudo in ("loop0", "ram0", "zram0", "dm-0", "md127"):
        block_device(root, pseudo, "", {"size": "4096000"})
    block_device(root, "sda", "", {"size": "0"})
    return root


def container(root: Path) -> Path:
    """The VM seen from a container with half a core more than one, 1 GiB and CPU 1 alone."""
    small_vm(root)
    write(
        root,
        {
            "sys/fs/cgroup/cgroup.controllers": "cpuset cpu memory",
            "sys/fs/cgroup/cpuset.cpus.effective": "1",
            "sys/fs/cgroup/cpu.max": "50000 100000",
            "sys/fs/cgroup/memory.max": str(1 << 30),
            "proc/self/cgroup": "0::/",
        },
    )
    return root
