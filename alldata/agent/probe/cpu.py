"""Which cores can be handed out, one device per NUMA node that has any?"""

from alldata.agent.probe.numa import Pool
from alldata.agent.probe.tree import Tree, show_list
from alldata.agent.wire import AttributeValue, Capacity, Device

_ARM_VENDORS = {"0x41": "ARM", "0x46": "Fujitsu", "0x48": "HiSilicon", "0xc0": "Ampere"}


def devices(tree: Tree, node: str, pools: tuple[Pool, ...]) -> tuple[Device, ...]:
    """The cores of each NUMA node; memory-only nodes have none."""
    facts = tree.fields("proc/cpuinfo")
    vendor = facts.get("vendor_id") or _ARM_VENDORS.get(facts.get("CPU implementer", ""))
    model = facts.get("model name") or facts.get("cpu") or facts.get("Model")
    return tuple(_cores(tree, node, pool, (vendor, model)) for pool in pools if pool.cpus)


def _cores(tree: Tree, node: str, pool: Pool, maker: tuple[str | None, str | None]) -> Device:
    attributes: dict[str, AttributeValue] = {
        "cpus": show_list(pool.cpus),
        "cores": _physical(tree, pool.cpus),
        "threads": len(pool.cpus),
    }
    return Device(
        uuid=f"{node}/numa{pool.node}/cpu",
        type="cpu",
        name=f"numa{pool.node} cores",
        numa_node=pool.node,
        vendor=maker[0],
        model=maker[1],
        attributes=attributes,
        capacities={"cpu_millicores": Capacity(pool.millicores, "sysfs", "measured")},
    )


def _physical(tree: Tree, cpus: tuple[int, ...]) -> int:
    """Cores behind the hardware threads; each thread counts as a core where the kernel does not say."""
    where = "sys/devices/system/cpu/cpu{}/topology/{}"
    cores = set()
    for cpu in cpus:
        core = tree.text(where.format(cpu, "core_id"))
        package = tree.text(where.format(cpu, "physical_package_id"))
        cores.add((package, core) if core is not None else cpu)
    return len(cores)
