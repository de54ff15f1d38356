"""How much of a recorded machine could the recording process use?

Cut to its cpuset, with the firmware's errors taken out: nodes that claim CPUs of an earlier node, and packages whose
sibling masks contradict each other. A package counts while any of its cores or any node's memory in it is usable.
"""

import re

from alldata.agent.probe import cgroup, nodes
from alldata.agent.probe.tree import Tree
from alldata.agent.readers.packages import core_count, packages
from alldata.agent.readers.records import Facts


def of(tree: Tree) -> Facts:
    limits = cgroup.limits(tree)
    online = nodes.online_cpus(tree)
    cpus = set(online) if limits.cpus is None else set(online) & limits.cpus
    sound = nodes.sound_nodes(tree)
    ours = [node for node in sound if limits.mems is None or node in limits.mems]
    near = [set(nodes.cpus_of(tree, node)) for node in ours]
    kept = [p for p in packages(tree, online) if p & cpus or any(beside and beside <= p for beside in near)]
    return {
        "packages": len(kept),
        "numa": len(ours) if sound else 1,
        "cores": core_count(tree, tuple(sorted(cpus))),
        "pus": len(cpus),
        "memoryless_numa": sum(not nodes.node_memory(tree, node) for node in ours),
        "nvme": [name for name in tree.names("sys/class/block") if re.fullmatch(r"nvme\d+n\d+", name)],
    }
