"""How much memory can be handed out, one device per NUMA node that has any?"""

from alldata.agent.probe.numa import NODES, Pool
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import Capacity, Device

MEGABYTE = 1_000_000
NOT_MEASURED = Capacity(None, "measured", "missing", reason="not_calibrated")


def devices(tree: Tree, node: str, pools: tuple[Pool, ...]) -> tuple[Device, ...]:
    """The memory pool of each NUMA node; `memory_only` ones have no core next to them."""
    return tuple(_pool(tree, node, pool) for pool in pools if pool.memory_bytes)


def _pool(tree: Tree, node: str, pool: Pool) -> Device:
    return Device(
        uuid=f"{node}/numa{pool.node}/memory",
        type="memory",
        name=f"numa{pool.node} memory",
        numa_node=pool.node,
        attributes={"memory_only": not pool.cpus},
        capacities={
            "memory_bytes": Capacity(pool.memory_bytes, "sysfs", "measured"),
            "memory_bandwidth": _firmware_bandwidth(tree, pool.node) or NOT_MEASURED,
        },
    )


def _firmware_bandwidth(tree: Tree, node: int) -> Capacity | None:
    """What the firmware's table (HMAT) promises, in MB/s; 0 means that it does not say."""
    promised = tree.number(f"{NODES}/node{node}/access0/initiators/read_bandwidth")
    return Capacity(promised * MEGABYTE, "sysfs", "estimated") if promised else None
