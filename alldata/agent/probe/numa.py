"""Which NUMA nodes are there, with which of the CPUs and how much of the memory that is ours?

Node ids may be sparse and nodes may have no CPU or no memory. Where the kernel shows no nodes at
all (some VMs, containers, NUMA off) the machine is one pool, called node 0.
"""

from dataclasses import dataclass

from alldata.agent.probe import nodes
from alldata.agent.probe.cgroup import Limits
from alldata.agent.probe.tree import Tree, kibibytes
from alldata.agent.wire import NumaNode

NODES = nodes.NODES


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
    online = nodes.online_cpus(tree)
    sound = nodes.sound_nodes(tree)
    shape = {node: nodes.cpus_of(tree, node) for node in sound} or {0: online}
    memory = _memory(tree, tuple(shape))
    allowed = set(online) if limits.cpus is None else set(online) & limits.cpus
    cpus = {node: tuple(cpu for cpu in listed if cpu in allowed) for node, listed in shape.items()}
    cores = {node: len(listed) * 1000 for node, listed in cpus.items()}
    millicores = shares(cores, limits.millicores)
    usable = {node: size or 0 for node, size in memory.items() if _may_use(node, sound, limits)}
    granted = dict.fromkeys(shape, 0) | shares(usable, limits.memory_bytes)
    return tuple(
        Pool(
            node=node,
            cpus=cpus[node],
            millicores=millicores[node],
            memory_bytes=None if memory[node] is None else granted[node],
            total_bytes=memory[node],
            distances=nodes.distances(tree, node, nodes.online_nodes(tree)),
        )
        for node in shape
    )


def shares(sizes: dict[int, int], limit: int | None) -> dict[int, int]:
    """`sizes` scaled down so that their sum keeps the limit."""
    total = sum(sizes.values())
    if limit is None or limit >= total:
        return sizes
    return {node: size * limit // total for node, size in sizes.items()}


def _may_use(node: int, sound: tuple[int, ...], limits: Limits) -> bool:
    """Whether the cpuset lets us use a node's memory; a machine that shows no nodes is not confined by them."""
    return limits.mems is None or node in limits.mems or not sound


def _memory(tree: Tree, shown: tuple[int, ...]) -> dict[int, int | None]:
    """Bytes a node. The kernel's own total wins where one node holds it all (hot-added memory)."""
    found = {node: nodes.node_memory(tree, node) for node in shown}
    total = kibibytes(tree.fields("proc/meminfo").get("MemTotal"))
    holders = [node for node, size in found.items() if size]
    if total is not None and len(holders) <= 1:
        found[holders[0] if holders else shown[0]] = total
    return found


def used_bytes(tree: Tree, pool: Pool, *, alone: bool) -> int | None:
    """Memory in use that cannot be taken back without harm; `alone`: the pool is all there is."""
    if alone:
        facts = tree.fields("proc/meminfo")
        total, free = kibibytes(facts.get("MemTotal")), kibibytes(facts.get("MemAvailable"))
        return None if total is None or free is None else max(0, total - free)
    facts = nodes.meminfo(tree, pool.node)
    used = kibibytes(facts.get("MemUsed"))
    if used is None:
        return None
    cache = sum(kibibytes(facts.get(name)) or 0 for name in ("Active(file)", "Inactive(file)", "SReclaimable"))
    return max(0, used - cache)
