"""Which CPUs and which NUMA nodes' memory does the cpuset leave us?

It may be mounted elsewhere (/dev/cpuset), without its prefix, or in a cgroup v2 of its own, as batch systems do.
"""

from alldata.agent.probe.tree import Tree, parse_list

_DEFAULT = "sys/fs/cgroup/cpuset"
Confines = tuple[frozenset[int] | None, frozenset[int] | None]


def version1(tree: Tree) -> Confines:
    """(CPUs, memory nodes); None where nothing confines them."""
    cpus: frozenset[int] | None = None
    mems: frozenset[int] | None = None
    for group in groups(tree, "cpuset", mount_of(tree)):
        cpus = _listed(tree, group, ("cpuset.cpus", "cpuset.effective_cpus", "cpus")) or cpus
        mems = _listed(tree, group, ("cpuset.mems", "cpuset.effective_mems", "mems")) or mems
    unified = _mount(tree, "cgroup2")
    return version2(tree, unified) if cpus is None and mems is None and unified else (cpus, mems)


def version2(tree: Tree, mount: str) -> Confines:
    cpus: frozenset[int] | None = None
    mems: frozenset[int] | None = None
    for group in groups(tree, "", mount):
        cpus = _listed(tree, group, ("cpuset.cpus.effective",)) or cpus
        mems = _listed(tree, group, ("cpuset.mems.effective",)) or mems
    return cpus, mems


def mount_of(tree: Tree) -> str:
    return _mount(tree, "cpuset") or _mount(tree, "cgroup", "cpuset") or _DEFAULT


def _mount(tree: Tree, wanted: str, option: str = "") -> str | None:
    """Where a file system of this kind is mounted, as a path from the root."""
    for line in (tree.text("proc/mounts") or "").splitlines():
        _source, where, kind, options = (line.split() + [""] * 4)[:4]
        if kind == wanted and (not option or option in options.split(",")):
            return where.strip("/")
    return None


def _listed(tree: Tree, group: str, names: tuple[str, ...]) -> frozenset[int] | None:
    """The first of the files that says something."""
    texts = (tree.text(f"{group}/{name}") for name in names)
    return frozenset(parse_list(next((text for text in texts if text), None))) or None


def groups(tree: Tree, controller: str, mount: str) -> list[str]:
    """Directories from the mount's root to our own group."""
    path = ""
    for line in (tree.text("proc/self/cgroup") or "").splitlines():
        _, names, where = (*line.split(":", 2), "", "")[:3]
        if controller in names.split(","):
            path = where
    if controller in ("cpuset", "") and not path:
        path = tree.text("proc/self/cpuset") or ""
    groups = [mount]
    for step in path.strip("/").split("/"):
        if not step or step == ".." or step.endswith(".service"):
            break
        groups.append(f"{groups[-1]}/{step}")
    return groups
