"""What does a recorded tree of /sys and /proc say: NUMA, cores, PCI cards, drives, InfiniBand?"""

import os
from collections import Counter
from pathlib import Path

from alldata.agent.probe import nodes
from alldata.agent.probe.machine import Machine, inspect
from alldata.agent.probe.tree import PCI_ADDRESS, Tree
from alldata.agent.readers import usable
from alldata.agent.readers.records import Reading

CPUS, NODES = "sys/devices/system/cpu", nodes.NODES
_BANDWIDTHS = ("read_bandwidth", "write_bandwidth")


def read(tree: Tree, node: str) -> Reading:
    """`node` names the machine in its devices' ids."""
    machine = inspect(node, root=tree.root)
    facts = _numa_facts(tree) | _cpu_facts(tree) | _device_facts(tree)
    if tree.has(CPUS):
        facts |= {"allowed": usable.of(tree)}
    kind = "sysfs" if tree.has(CPUS) else ("blockq" if tree.has("sys/class/nvme") else "infiniband")
    return Reading(kind, facts=facts | _queue_facts(machine), machine=machine)


def _listed(tree: Tree) -> tuple[int, ...]:
    return nodes.online_nodes(tree) if tree.has(NODES) else ()


def _numa_facts(tree: Tree) -> dict[str, object]:
    listed = _listed(tree)
    cpus = {node: nodes.cpus_of(tree, node) for node in listed}
    memory = {node: (nodes.node_memory(tree, node) or 0) >> 20 for node in listed}
    rows = [(tree.text(f"{NODES}/node{node}/distance") or "").split() for node in listed]
    return {
        "numa_nodes": len(listed),
        "nodes_id_cpus_memMiB": [[node, len(cpus[node]), memory[node]] for node in listed],
        "memoryless": [node for node in listed if not memory[node]],
        "cpuless": [node for node in listed if not cpus[node]],
        "distance": [[int(cell) for cell in row if cell.isdecimal()] for row in rows],
        "hmat_access0": _promised(tree, listed),
    }


def _promised(tree: Tree, listed: tuple[int, ...]) -> dict[str, str]:
    """What the firmware's table (HMAT) promises, MB/s as text; "0" means that it does not say."""
    names = [f"node{node}/access0/initiators/{which}" for node in listed for which in _BANDWIDTHS]
    return {name: text for name in names if (text := tree.text(f"{NODES}/{name}")) is not None}


def _cpu_facts(tree: Tree) -> dict[str, object]:
    numbers = nodes.numbered(tree, CPUS, "cpu")
    ids = {tree.text(f"{CPUS}/cpu{cpu}/topology/physical_package_id") for cpu in numbers} - {None}
    models = (line for line in (tree.text("proc/cpuinfo") or "").splitlines() if line.startswith("model name"))
    model = next(models, None)
    return {
        "cpus_in_sysfs": len(numbers),
        "online": tree.text(f"{CPUS}/online"),
        "offline": tree.text(f"{CPUS}/offline"),
        "packages": len(ids),
        "cpu_model": model.partition(":")[2][1:] if model else None,
    }


def _device_facts(tree: Tree) -> dict[str, object]:
    blocks = {name for folder in ("sys/class/block", "sys/block") for name in tree.names(folder)}
    hcas = tree.names("sys/class/infiniband")
    rates = {name: tree.text(f"sys/class/infiniband/{name}/ports/1/rate") for name in hcas}
    return {
        "pci_numa_node_values": dict(_pci_nodes(tree)),
        "nvme": sorted(name for name in blocks if name.startswith("nvme")),
        "nvidia_proc_gpus": len(tree.names("proc/driver/nvidia/gpus")),
        "hcas": len(hcas),
        "rates": rates,
    }


def _pci_nodes(tree: Tree) -> Counter[str]:
    """How many PCI devices are on which NUMA node; -1: the firmware does not say."""
    found: Counter[str] = Counter()
    for path in _walk(tree.root / "sys/devices"):
        if PCI_ADDRESS.fullmatch(path.parent.name):
            text = tree.text(str(path.relative_to(tree.root)))
            found[text or ""] += 1
    return found


def _walk(folder: Path) -> list[Path]:
    return [Path(top) / "numa_node" for top, _folders, files in os.walk(folder) if "numa_node" in files]


def _queue_facts(machine: Machine) -> dict[str, object]:
    """Of the only NVMe drive, where there is one."""
    drives = [d for d in machine.devices if d.type == "storage" and d.attributes.get("interface") == "nvme"]
    if len(drives) != 1:
        return {}
    drive = drives[0]
    return {
        "queue_depth": drive.attributes.get("queue_depth"),
        "io_queues": drive.attributes.get("hardware_queues"),
        "size_bytes": drive.capacities["storage_bytes"].value,
        "numa_node": drive.numa_node,
        "model": drive.model,
        "family": drive.attributes.get("family"),
    }
