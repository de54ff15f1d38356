"""What share of the machine may be handed out here? A container sees its share, not the host.

Limits are looked for on the way from the root of the cgroup mount down to our own group, and
the tightest counts. A group that is a systemd unit of its own (`….service`) is left out: its
limits are meant for the agent, not for the jobs.
"""

import os
from dataclasses import dataclass

from alldata.agent.probe import cpuset
from alldata.agent.probe.tree import Tree, parse_list

#: cgroup v1 says "no limit" with a huge number rounded to pages.
V1_NO_LIMIT = 1 << 60


@dataclass(frozen=True, slots=True)
class Limits:
    """`cpus` is None where nothing confines them; so are `mems` (NUMA nodes whose memory we may use) and the rest."""

    kind: str
    cpus: frozenset[int] | None = None
    millicores: int | None = None
    memory_bytes: int | None = None
    mems: frozenset[int] | None = None


def limits(tree: Tree) -> Limits:
    """The limits in force for jobs started beside the agent."""
    unified = tree.has("sys/fs/cgroup/cgroup.controllers")
    found = _version2(tree) if unified else _version1(tree)
    if not tree.is_live:
        return found
    cpus = _both(found.cpus, frozenset(os.sched_getaffinity(0)))
    mems = _both(found.mems, frozenset(parse_list(tree.fields("proc/self/status").get("Mems_allowed_list"))))
    return Limits(found.kind, cpus, found.millicores, found.memory_bytes, mems)


def _both(listed: frozenset[int] | None, allowed: frozenset[int]) -> frozenset[int] | None:
    """What both permit; an empty answer means that the kernel did not say."""
    return (allowed if listed is None else allowed & listed) or listed


def _version2(tree: Tree) -> Limits:
    quotas: list[int] = []
    memory: list[int] = []
    cpus, mems = cpuset.version2(tree, "sys/fs/cgroup")
    for group in cpuset.groups(tree, "", "sys/fs/cgroup"):
        quotas += _quota(*(tree.text(f"{group}/cpu.max") or "max 1").split()[:2])
        memory += _known(tree.number(f"{group}/memory.max"))
    return Limits("v2", cpus, min(quotas, default=None), min(memory, default=None), mems)


def _version1(tree: Tree) -> Limits:
    quotas: list[int] = []
    memory: list[int] = []
    cpus, mems = cpuset.version1(tree)
    for group in cpuset.groups(tree, "cpu", "sys/fs/cgroup/cpu"):
        quota, period = tree.text(f"{group}/cpu.cfs_quota_us"), tree.text(f"{group}/cpu.cfs_period_us")
        quotas += _quota(quota or "-1", period or "100000")
    for group in cpuset.groups(tree, "memory", "sys/fs/cgroup/memory"):
        memory += [n for n in _known(tree.number(f"{group}/memory.limit_in_bytes")) if n < V1_NO_LIMIT]
    kind = "v1" if tree.has("sys/fs/cgroup/memory") or tree.has(cpuset.mount_of(tree)) else "none"
    return Limits(kind, cpus, min(quotas, default=None), min(memory, default=None), mems)


def _quota(quota: str, period: str = "100000") -> list[int]:
    if not quota.isdecimal() or not period.isdecimal() or int(period) == 0:
        return []
    return [int(quota) * 1000 // int(period)]


def _known(number: int | None) -> list[int]:
    return [] if number is None else [number]
