"""What did the attempt use so far?

Counters are cumulative since the start, integers, and never fall; a number this machine does
not give is null, never zero. CPU and memory come from the cgroup where there is one (quality
"measured"), else from the process tree in /proc ("estimated": short-lived memory between two
looks is not seen). Bytes come from v2's io.stat, else from /proc/PID/io, which counts a write
when the page is dirtied. Memory is what cannot be dropped: page cache idle on a list is left out.
"""

import os
import resource

from alldata.agent.shim.cgroups import Unconfined
from alldata.agent.shim.files import Json, write_json
from alldata.agent.shim.linux import Process, descendants


class Meter:
    """Sums one attempt's usage from samples; the shim is the parent of all its processes."""

    def __init__(self, path: str, group: Unconfined) -> None:
        self.path = path
        self.group = group
        self.by_group = group.cpu_us() is not None
        self.memory_bytes = 0
        self._cpu_us = self._byte_ms = self._peak = self._elapsed_ms = 0
        self._read_bytes = self._write_bytes = 0
        self._ios: tuple[int | None, int | None] = (None, None)

    def sample(self, *, at_ms: int, elapsed_ms: int) -> None:
        """Look once and write usage.json; `elapsed_ms` counts from the job's start."""
        tree = [] if self.by_group else descendants(os.getpid())
        self._take_cpu_and_memory(tree, max(0, elapsed_ms - self._elapsed_ms))
        self._take_io(self.group.pids() if self.by_group else {each.pid for each in tree})
        self._elapsed_ms = max(elapsed_ms, self._elapsed_ms)
        write_json(self.path, self._facts(at_ms))

    def _take_cpu_and_memory(self, tree: list[Process], passed_ms: int) -> None:
        cpu_us, memory = self.group.cpu_us(), self.group.memory_bytes()
        reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
        if cpu_us is None:
            ended_us = int((reaped.ru_utime + reaped.ru_stime) * 1_000_000)
            cpu_us = ended_us + sum(process.cpu_us for process in tree)
        if memory is None:
            memory = sum(process.rss_bytes for process in tree)
        self._cpu_us = max(self._cpu_us, cpu_us)
        self._byte_ms += (self.memory_bytes + memory) * passed_ms // 2
        self.memory_bytes = memory
        self._peak = max(self._peak, memory, _largest_resident(reaped))

    def _take_io(self, pids: set[int]) -> None:
        ios = self.group.ios()
        if ios:
            self._ios = ios[0], ios[1]
            read, write = ios[2], ios[3]
        else:  # our own count includes reaped children, and the log we write on the job's behalf
            looks = [_disk_bytes(pid) for pid in {os.getpid(), *pids}]
            read, write = sum(look[0] for look in looks), sum(look[1] for look in looks)
        self._read_bytes = max(self._read_bytes, read)
        self._write_bytes = max(self._write_bytes, write)

    def _facts(self, at_ms: int) -> Json:
        return {
            "at_ms": at_ms,
            "elapsed_ms": self._elapsed_ms,
            "cpu_us": self._cpu_us,
            "memory_byte_ms": self._byte_ms,
            "memory_bytes": self.memory_bytes,
            "memory_peak_bytes": self._peak,
            "read_ios": self._ios[0],
            "write_ios": self._ios[1],
            "read_bytes": self._read_bytes,
            "write_bytes": self._write_bytes,
            "source": self.group.name if self.by_group else "proc",
            "quality": "measured" if self.by_group else "estimated",
        }


def _largest_resident(reaped: resource.struct_rusage) -> int:
    """The most one ended process held, which no two looks need to have seen. Before it became the job it was us."""
    ourselves = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return reaped.ru_maxrss * 1024 if reaped.ru_maxrss > ourselves else 0


def _disk_bytes(pid: int) -> tuple[int, int]:
    """Bytes read from and written to storage by a process and the children it reaped."""
    try:
        with open(f"/proc/{pid}/io", encoding="ascii") as file:
            table = dict(line.split(": ") for line in file)
    except OSError:
        return 0, 0
    return int(table["read_bytes"]), int(table["write_bytes"])
