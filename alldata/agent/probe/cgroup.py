"""What share of the machine may be handed out here? A container sees its share, not the host.

Limits are looked for on the way from the root of the cgroup mount down to our own group, and
the tightest counts. A group that is a systemd unit of its own (`….service`) is left out: its
limits are meant for the agent, not for the jobs.
"""

import os
from dataclasses import dataclass

from alldata.agent.probe.tree import Tree, parse_list

#: cgroup v1 says "no limit" with a huge number rounded to pages.
V1_NO_LIMIT = 1 << 60


@dataclass(frozen=True, slots=True)
class Limits:
    """`cpus` is None where nothing confines them; so are the other limits."""

    kind: str
    cpus: frozenset[int] | None = None
    millicores: int | None = None
    memory_bytes: int | None = None


def limits(tree: Tree) -> Limits:
    """The limits in force for jobs started beside the agent."""
    unified = tree.has("sys/fs/cgroup/cgroup.controllers")
    found = _version2(tree) if unified else _version1(tree)
    if not tree.is_live:
        return found
    allowed = frozenset(os.sched_getaffinity(0))
    cpus = allowed if found.cpus is None else allowed & found.cpus
    return Limits(found.kind, cpus or None, found.millicores, found.memory_bytes)


def _version2(tree: Tree) -> Limits:
    cpus: frozenset[int] | None = None
    quotas: list[int] = []
    memory: list[int] = []
    for group in _groups(tree, "", "sys/fs/cgroup"):
        listed = parse_list(tree.text(f"{group}/cpuset.cpus.effective"))
        cpus = frozenset(listed) if listed else cpus
        quotas += _quota(*(tree.text(f"{group}/cpu.max") or "max 1").split()[:2])
        memory += _known(tree.number(f"{group}/memory.max"))
    return Limits("v2", cpus, min(quotas, default=None), min(memory, default=None))


def _version1(tree: Tree) -> Limits:
    cpus: frozenset[int] | None = None
    quotas: list[int] = []
    memory: list[int] = []
    for group in _groups(tree, "cpuset", "sys/fs/cgroup/cpuset"):
        listed = parse_list(tree.text(f"{group}/cpuset.effective_cpus") or tree.text(f"{group}/cpuset.cpus"))
        cpus = frozenset(listed) if listed else cpus
    for group in _groups(tree, "cpu", "sys/fs/cgroup/cpu"):
        quota, period = tree.text(f"{group}/cpu.cfs_quota_us"), tree.text(f"{group}/cpu.cfs_period_us")
        quotas += _quota(quota or "-1", period or "100000")
    for group in _groups(tree, "memory", "sys/fs/cgroup/memory"):
        memory += [n for n in _known(tree.number(f"{group}/memory.limit_in_bytes")) if n < V1_NO_LIMIT]
    kind = "v1" if tree.has("sys/fs/cgroup/memory") or tree.has("sys/fs/cgroup/cpuset") else "none"
    return Limits(kind, cpus, min(quotas, default=None), min(memory, default=None))


def _groups(tree: Tree, controller: str, mount: str) -> list[str]:
    """Directories from the mount's root to our own group."""
    path = ""
    for line in (tree.text("proc/self/cgroup") or "").splitlines():
        _, names, where = (*line.split(":", 2), "", "")[:3]
        if controller in names.split(","):
            path = where
    groups = [mount]
    for step in path.strip("/").split("/"):
        if not step or step == ".." or step.endswith(".service"):
            break
        groups.append(f"{groups[-1]}/{step}")
    return groups


def _quota(quota: str, period: str = "100000") -> list[int]:
    if not quota.isdecimal() or not period.isdecimal() or int(period) == 0:
        return []
    return [int(quota) * 1000 // int(period)]


def _known(number: int | None) -> list[int]:
    return [] if number is None else [number]
