"""What does placement by counts do? Baselines for the topology benchmark, in the manner of kube-scheduler.

A node is feasible when it has GPUs, cores, bytes of memory and disk; its score is the mean free
share (least allocated spreads, most allocated packs). On the node the lowest free GPUs are taken,
cores and memory on the socket with most free cores, the drive with most free bytes. With the
single-NUMA kubelet policy GPUs, cores and memory must come from one socket, else the next node is tried. None knows
bandwidth, queue depth or switches. Same signature as the planner: Snapshot in, Plan out; strictly in order of
submission, and whoever does not fit waits without holding up the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scheduling.crater.model import Device, Node, Pick, Placement, Plan, Request, Snapshot
from scheduling.crater.vector import minus

COUNTED = ("cpu_millicores", "memory_bytes", "gpu_sm", "gpu_memory_bytes", "storage_bytes")


@dataclass(frozen=True)
class CountBased:
    """One baseline."""

    is_packing: bool
    is_single_numa: bool

    def __call__(self, snapshot: Snapshot) -> Plan:
        """Place what fits by counts."""
        free = {device.uuid: dict(device.free) for node in snapshot.nodes for device in node.devices}
        cores = {device.uuid: device.cpus for node in snapshot.nodes for device in node.devices}
        placements = []
        for request in sorted(snapshot.queue, key=lambda r: (r.submitted_ms, r.job)):
            placement = self._place(request, snapshot.nodes, free, cores)
            if placement is not None:
                placements.append(placement)
                for pick in placement.picks:
                    free[pick.device] = minus(free[pick.device], pick.amounts)
                    cores[pick.device] = tuple(c for c in cores[pick.device] if c not in pick.cpus)
        return Plan(tuple(placements))

    def _place(
        self,
        request: Request,
        nodes: Sequence[Node],
        free: Mapping[str, Mapping[str, int]],
        cores: Mapping[str, tuple[int, ...]],
    ) -> Placement | None:
        found = []
        for node in nodes:
            picks = picks_by_count(request, node, free, self.is_single_numa)
            if picks is not None:
                share = free_share(node, free)
                found.append((share if self.is_packing else -share, node.name, picks))
        if not found:
            return None
        _, name, picks = min(found, key=lambda entry: entry[:2])
        pinned = tuple(_pinned(pick, cores[pick.device]) for pick in picks)
        return Placement(request.job, name, pinned, (), None, None, None, None, len(found))


def _pinned(pick: Pick, cores: Sequence[int]) -> Pick:
    count = pick.amounts.get("cpu_millicores", 0) // 1000
    return Pick(pick.device, pick.type, pick.amounts, tuple(cores[:count]), pick.numa_node)


def free_share(node: Node, free: Mapping[str, Mapping[str, int]]) -> float:
    """Mean over cores, memory and GPUs of what is free."""
    parts = []
    for name in ("cpu_millicores", "memory_bytes", "gpu_sm"):
        offered = [d for d in node.devices if d.capacity.get(name)]
        parts.append(sum(free[d.uuid][name] for d in offered) / sum(d.capacity[name] for d in offered))
    return sum(parts) / len(parts)


def picks_by_count(
    request: Request, node: Node, free: Mapping[str, Mapping[str, int]], is_single_numa: bool
) -> list[Pick] | None:
    """Devices of one node that have the counts, or None."""
    sockets = sorted({d.numa_node for d in node.devices if d.numa_node is not None})
    by_cores = sorted(sockets, key=lambda s: (-_cores(node, s, free), s))
    for socket in by_cores:
        chosen: list[Pick] = []
        for need in request.needs:
            if need.type == "link":
                continue
            asked = {name: amount for name, amount in need.amounts.items() if name in COUNTED}
            is_bound = need.type in ("cpu", "memory") or (need.type == "gpu" and is_single_numa)
            fitting = [
                d
                for d in node.devices
                if d.type == need.type
                and (d.numa_node == socket or not is_bound)
                and all(free[d.uuid].get(name, 0) >= amount for name, amount in asked.items())
            ]
            if len(fitting) < need.count:
                break
            chosen += [Pick(d.uuid, d.type, asked, (), d.numa_node) for d in _preferred(fitting, free)[: need.count]]
        else:
            return chosen
    return None


def _preferred(devices: Sequence[Device], free: Mapping[str, Mapping[str, int]]) -> list[Device]:
    """Drives by free bytes, everything else by name."""
    return sorted(devices, key=lambda d: (-free[d.uuid].get("storage_bytes", 0), d.uuid))


def _cores(node: Node, socket: int, free: Mapping[str, Mapping[str, int]]) -> int:
    return sum(free[d.uuid]["cpu_millicores"] for d in node.devices if d.type == "cpu" and d.numa_node == socket)
