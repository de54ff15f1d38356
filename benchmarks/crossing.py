"""Which placements lie over two sockets, and which of them need not have?"""

from collections.abc import Sequence

from benchmarks.count_based import picks_by_count
from scheduling.crater.model import Node, Placement, Request


def crosses(placement: Placement) -> bool:
    """True when GPUs, cores and memory are not all on one NUMA node."""
    numas = {p.numa_node for p in placement.picks if p.type in ("gpu", "cpu", "memory")}
    return len(numas - {None}) > 1


def is_avoidable(placement: Placement, request: Request, nodes: Sequence[Node]) -> bool:
    """True when some node had the counts on one socket at that moment."""
    free = {device.uuid: device.free for node in nodes for device in node.devices}
    return any(picks_by_count(request, node, free, is_single_numa=True) is not None for node in nodes)
