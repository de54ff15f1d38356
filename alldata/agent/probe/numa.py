"""Which NUMA nodes are there, with which of the CPUs and how much of the memory that is ours?

Node ids may be sparse and nodes may have no CPU or no memory. Where the kernel shows no nodes at
all (some VMs, containers, NUMA off) the machine is one pool, called node 0.
"""

import re
from dataclasses import dataclass

from alldata.agent.probe.cgroup import Limits
from alldata.agent.probe.tree import Tree, kibibytes, parse_list, parse_mask
from alldata.agent.wire import NumaNode

NODES = "sys/devices/system/node"


@dataclass(frozen=True, slots=True)
class Pool:
    """A NUMA node with our share of it."""

    node: int
    cpus: tuple[int, ...]
    millicores: int
    memory_bytes: int | None
    total_bytes: int | None
    distances: dict[str, int]

    def as_wire(self) -> NumaNode:
        return NumaNode(self.node, self.cpus, self.memory_bytes, self.distances)


def pools(tree: Tree, limits: Limits) -> tuple[Pool, ...]:
    """Every NUMA node, its CPUs cut to those allowed, quotas shared out in proportion."""
    online = online_cpus(tree)
    nodes = sound_nodes(tree)
    shape = {node: cpus_of(tree, node) for node in nodes} or {0: online}
    memory = _memory(tree, tuple(shape))
    allowed = set(online) if limits.cpus is None else set(online) & limits.cpus
    cpus = {node: tuple(cpu for cpu in listed if cpu in allowed) for node, listed in shape.items()}
    cores = {node: len(listed) * 1000 for node, listed in cpus.items()}
    millicores = shares(cores, limits.millicores)
    usable = {node: size or 0 for node, size in memory.items() if _may_use(node, nodes, limits)}
    granted = dict.fromkeys(shape, 0) | shares(usable, limits.memory_bytes)
    return tuple(
        Pool(
            node=node,
            cpus=cpus[node],
            millicores=millicores[node],
            memory_bytes=None if memory[node] is None else granted[node],
            total_bytes=memory[node],
            distances=_distances(tree, node, online_nodes(tree)),
        )
        for node in shape
    )


def shares(sizes: dict[int, int], limit: int | None) -> dict[int, int]:
    """`sizes` scaled down so that their sum keeps the limit."""
    total = sum(sizes.values())
    if limit is None or limit >= total:
        return sizes
    return {node: size * limit // total for node, size in sizes.items()}


def _may_use(node: int, nodes: tuple[int, ...], limits: Limits) -> bool:
    """Whether the cpuset lets us use a node's memory; a machine that shows no nodes is not confined by them."""
    return limits.mems is None or node in limits.mems or not nodes


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


def _memory(tree: Tree, nodes: tuple[int, ...]) -> dict[int, int | None]:
    """Bytes a node. The kernel's own total wins where one node holds it all (hot-added memory)."""
    found = {node: node_memory(tree, node) for node in nodes}
    total = kibibytes(tree.fields("proc/meminfo").get("MemTotal"))
    holders = [node for node, size in found.items() if size]
    if total is not None and len(holders) <= 1:
        found[holders[0] if holders else nodes[0]] = total
    return found


def node_memory(tree: Tree, node: int) -> int | None:
    """Bytes beside a node, as the node itself says."""
    return kibibytes(_node_meminfo(tree, node).get("MemTotal"))


def _node_meminfo(tree: Tree, node: int) -> dict[str, str]:
    """`Node 0 MemTotal: 1 kB` lines without their prefix."""
    raw = tree.fields(f"{NODES}/node{node}/meminfo")
    return {name.split()[-1]: value for name, value in raw.items()}


def used_bytes(tree: Tree, pool: Pool, *, alone: bool) -> int | None:
    """Memory in use that cannot be taken back without harm; `alone`: the pool is all there is."""
    if alone:
        facts = tree.fields("proc/meminfo")
        total, free = kibibytes(facts.get("MemTotal")), kibibytes(facts.get("MemAvailable"))
        return None if total is None or free is None else max(0, total - free)
    facts = _node_meminfo(tree, pool.node)
    used = kibibytes(facts.get("MemUsed"))
    if used is None:
        return None
    cache = sum(kibibytes(facts.get(name)) or 0 for name in ("Active(file)", "Inactive(file)", "SReclaimable"))
    return max(0, used - cache)


def _distances(tree: Tree, node: int, nodes: tuple[int, ...]) -> dict[str, int]:
    row = (tree.text(f"{NODES}/node{node}/distance") or "").split()
    if len(row) != len(nodes):
        return {}  # the row counts nodes that are offline, and does not say which
    return {str(other): int(cell) for other, cell in zip(nodes, row, strict=False) if cell.isdecimal()}
