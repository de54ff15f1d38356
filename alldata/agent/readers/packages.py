"""Which packages and cores do the kernel's sibling masks describe?

A package counts where its first online CPU agrees that it is the first; firmware that contradicts itself loses one.
"""

from alldata.agent.probe.tree import Tree, parse_mask

CPUS = "sys/devices/system/cpu"


def packages(tree: Tree, online: tuple[int, ...]) -> list[set[int]]:
    """The online CPUs of each package."""
    masks = {cpu: _mask(tree, cpu, ("package_cpus", "core_siblings")) & set(online) for cpu in online}
    if any(masks.values()):
        return [mask for cpu, mask in masks.items() if mask and min(mask) == cpu]
    by_id: dict[str, set[int]] = {}
    for cpu in online:
        told = tree.text(f"{CPUS}/cpu{cpu}/topology/physical_package_id")
        if told not in (None, "", "-1"):
            by_id.setdefault(str(told), set()).add(cpu)
    return list(by_id.values())


def core_count(tree: Tree, online: tuple[int, ...]) -> int:
    """Cores with at least one online thread; each CPU is a core where the kernel does not say."""
    masks = {cpu: _mask(tree, cpu, ("core_cpus", "thread_siblings")) & set(online) for cpu in online}
    return sum(not mask or min(mask) == cpu for cpu, mask in masks.items())


def _mask(tree: Tree, cpu: int, names: tuple[str, ...]) -> set[int]:
    texts = (tree.text(f"{CPUS}/cpu{cpu}/topology/{name}") for name in names)
    return set(parse_mask(next((text for text in texts if text), None)))
