"""What holds the job within its memory on this machine: cgroup v2, v1, or nothing?

`confine` tries them in this order and returns the first that works; whatever is in force is
named by `name` and ends up in the attempt's status. Without a cgroup the limit is RLIMIT_DATA
per process (child.py) plus a watch on the whole tree (attempt.py).
"""

import os

from alldata.agent.shim.cgroups import CgroupV1, CgroupV2, Unconfined, write_text

MAX_PROCESSES = 16_384


def confine(key: str, memory_limit_bytes: int | None, *, root: str = "/") -> Unconfined:
    """A fresh group for this attempt, limited; `Unconfined` where the machine lets us have none."""
    for build in (_build_v2, _build_v1):
        group = build(f"alldata-{key}", root)
        if group is None:
            continue
        try:
            if memory_limit_bytes is not None:
                group.limit_memory(memory_limit_bytes)
        except OSError:
            group.remove()
            continue
        for directory in group.directories.values():
            path = os.path.join(directory, "pids.max")
            if os.path.exists(path):
                write_text(path, str(MAX_PROCESSES))
        return group
    return Unconfined()


def _own_paths(root: str) -> dict[str, str]:
    """Controller -> our own group's path; the key of v2 is the empty string."""
    paths = {}
    try:
        with open(os.path.join(root, "proc/self/cgroup"), encoding="utf-8") as file:
            for line in file:
                _, controllers, path = line.rstrip("\n").split(":", 2)
                for controller in controllers.split(","):
                    paths[controller] = path.lstrip("/")
    except OSError:
        return {}
    return paths


def _mounts(root: str) -> list[tuple[str, str, str]]:
    """(mount point, type, options) of every cgroup mount."""
    try:
        with open(os.path.join(root, "proc/self/mounts"), encoding="utf-8") as file:
            fields = [line.split() for line in file]
    except OSError:
        return []
    return [(f[1].lstrip("/"), f[2], f[3]) for f in fields if f[2] in ("cgroup", "cgroup2")]


def _build_v2(name: str, root: str) -> CgroupV2 | None:
    """Below our own group or the nearest ancestor that hands its children a memory controller."""
    for mount, kind, _ in _mounts(root):
        if kind != "cgroup2":
            continue
        top = os.path.join(root, mount)
        for parent in _upwards(os.path.join(top, _own_paths(root).get("", "")), top):
            directory = os.path.join(parent, name)
            if _hands_down_memory(parent) and _made(directory):
                return CgroupV2({"unified": directory})
    return None


def _upwards(path: str, top: str) -> list[str]:
    """`path` and its parents, nearest first, `top` last."""
    found = [path.rstrip("/")]
    while len(found[-1]) > len(top):
        found.append(os.path.dirname(found[-1]))
    return found


def _hands_down_memory(group: str) -> bool:
    try:
        with open(os.path.join(group, "cgroup.subtree_control"), encoding="ascii") as file:
            return "memory" in file.read().split()
    except OSError:
        return False


def _made(directory: str) -> bool:
    try:
        os.mkdir(directory)
    except OSError:
        return False
    return True


def _build_v1(name: str, root: str) -> CgroupV1 | None:
    """Below our own group of each controller; memory and cpuacct must work, pids may."""
    own = _own_paths(root)
    directories: dict[str, str] = {}
    for mount, kind, options in _mounts(root):
        for controller in {"memory", "cpuacct", "pids"} & set(options.split(",")):
            if kind != "cgroup":
                continue
            top = os.path.join(root, mount)
            parent = os.path.join(top, own.get(controller, ""))
            directory = os.path.join(parent if os.path.isdir(parent) else top, name)
            if _made(directory):
                directories[controller] = directory
    group = CgroupV1(directories)
    if {"memory", "cpuacct"} <= directories.keys():
        return group
    group.remove()
    return None
