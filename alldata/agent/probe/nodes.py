"""What does the kernel list of CPUs and NUMA nodes, before anything is cut to our share?"""

import re

from alldata.agent.probe.tree import Tree, kibibytes, parse_list, parse_mask

NODES = "sys/devices/system/node"


def sound_nodes(tree: Tree) -> tuple[int, ...]:
    """Nodes of host memory that can be told apart.

    Left out: nodes that a driver made of its cards' memory, for they are not the host's to give, and nodes that claim
    CPUs of an earlier one, for broken firmware lists the same CPUs everywhere.
    """
    cards = "proc/driver/nvidia/gpus"
    of_cards = {tree.fields(f"{cards}/{card}/numa_status").get("Node") for card in tree.names(cards)}
    sound: list[int] = []
    taken: set[int] = set()
    for node in online_nodes(tree) if tree.has(NODES) else ():
        cpus = set(cpus_of(tree, node))
        if str(node) not in of_cards and not cpus & taken:
            sound.append(node)
            taken |= cpus
    return tuple(sound)


def online_nodes(tree: Tree) -> tuple[int, ...]:
    return parse_list(tree.text(f"{NODES}/online")) or numbered(tree, NODES, "node")


def cpus_of(tree: Tree, node: int) -> tuple[int, ...]:
    """The CPUs beside a node's memory; old kernels have only the mask."""
    where = f"{NODES}/node{node}"
    return parse_list(tree.text(f"{where}/cpulist")) or parse_mask(tree.text(f"{where}/cpumap"))


def numbered(tree: Tree, path: str, stem: str) -> tuple[int, ...]:
    """The numbers of `cpu0`, `cpu1`, ... in a directory, for kernels without an `online` file."""
    found = (re.fullmatch(rf"{stem}(\d+)", name) for name in tree.names(path))
    return tuple(sorted(int(match[1]) for match in found if match))


def online_cpus(tree: Tree) -> tuple[int, ...]:
    where = "sys/devices/system/cpu"
    listed = parse_list(tree.text(f"{where}/online")) or numbered(tree, where, "cpu")
    if listed:
        return tuple(cpu for cpu in listed if tree.number(f"{where}/cpu{cpu}/online") != 0)
    lines = (tree.text("proc/stat") or "").splitlines()
    return tuple(int(line.split()[0][3:]) for line in lines if line[:3] == "cpu" and line[3:4].isdecimal())


def node_memory(tree: Tree, node: int) -> int | None:
    """Bytes beside a node, as the node itself says."""
    return kibibytes(meminfo(tree, node).get("MemTotal"))


def meminfo(tree: Tree, node: int) -> dict[str, str]:
    """`Node 0 MemTotal: 1 kB` lines without their prefix."""
    raw = tree.fields(f"{NODES}/node{node}/meminfo")
    return {name.split()[-1]: value for name, value in raw.items()}


def distances(tree: Tree, node: int, online: tuple[int, ...]) -> dict[str, int]:
    row = (tree.text(f"{NODES}/node{node}/distance") or "").split()
    if len(row) != len(online):
        return {}  # the row counts nodes that are offline, and does not say which
    return {str(other): int(cell) for other, cell in zip(online, row, strict=False) if cell.isdecimal()}
