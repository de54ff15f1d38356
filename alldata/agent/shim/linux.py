"""What does the shim ask of the kernel that the standard library does not offer?"""

import ctypes
import os
import platform
import signal

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
MPOL_BIND = 2
SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237}
TICK_US = 1_000_000 // os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
MAX_NUMA_NODES = 1024

_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """The kernel kills this process when the thread that forked it ends, however it ends."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Descendants whose parent dies become our children, so none can slip away."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def bind_memory(numa_nodes: list[int]) -> bool:
    """Take memory from these NUMA nodes only; inherited by the job. False where not possible."""
    number = SET_MEMPOLICY.get(platform.machine())
    if number is None or not numa_nodes or max(numa_nodes) >= MAX_NUMA_NODES:
        return False
    words = [0] * (MAX_NUMA_NODES // 64)
    for node in numa_nodes:
        words[node // 64] |= 1 << (node % 64)
    mask = (ctypes.c_ulong * len(words))(*words)
    done = _libc.syscall(number, MPOL_BIND, mask, ctypes.c_ulong(MAX_NUMA_NODES))
    return int(done) == 0


def boot_id() -> str:
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


class Process:
    """One look at a process: parent, state, CPU of itself and of its reaped children, memory."""

    __slots__ = ("cpu_us", "parent", "pid", "rss_bytes", "start", "state")

    def __init__(self, pid: int) -> None:
        """Read it now; ProcessLookupError or FileNotFoundError when it is gone."""
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        self.pid = pid
        self.state = fields[0].decode()
        self.parent = int(fields[1])
        self.cpu_us = sum(int(field) for field in fields[11:15]) * TICK_US
        self.start = int(fields[19])
        self.rss_bytes = int(fields[21]) * PAGE_BYTES


def processes() -> list[Process]:
    """Every process that could be read."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            found.append(Process(int(name)))
        except OSError:
            continue  # ended between the listing and the look
    return found


def descendants(root: int) -> list[Process]:
    """The tree below `root`, without it."""
    children: dict[int, list[Process]] = {}
    for process in processes():
        children.setdefault(process.parent, []).append(process)
    tree, todo = [], [root]
    while todo:
        below = children.get(todo.pop(), [])
        tree += below
        todo += [process.pid for process in below]
    return tree


def kill(pid: int, number: int) -> None:
    """Send a signal; a process that is gone already is no error."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
