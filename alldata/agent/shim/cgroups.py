"""What does a control group let us set and read: version 2, version 1, or none at all?

One class each, with the same methods; None means "this machine does not say", never zero.
"""

import os
import time

from alldata.agent.shim.linux import kill

REMOVE_TRIES = 40


def read_number(path: str) -> int | None:
    """The file's one number; None when absent or `max`."""
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def read_table(path: str) -> dict[str, int]:
    """A file of `name number` lines; empty when it cannot be read."""
    table = {}
    try:
        with open(path, encoding="ascii") as file:
            for line in file:
                name, _, number = line.rpartition(" ")
                table[name] = int(number)
    except (OSError, ValueError):
        return table
    return table


def write_text(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


class Unconfined:
    """No cgroup: nothing to join, nothing to read."""

    name = "none"

    def __init__(self, directories: dict[str, str] | None = None) -> None:
        self.directories = directories or {}

    def limit_memory(self, limit_bytes: int) -> None:
        raise OSError("no cgroup here")

    def join(self, pid: int) -> None:
        for directory in self.directories.values():
            write_text(os.path.join(directory, "cgroup.procs"), str(pid))

    def cpu_us(self) -> int | None:
        return None

    def memory_bytes(self) -> int | None:
        return None

    def ios(self) -> tuple[int, int, int, int] | None:
        """Read operations, write operations, bytes read, bytes written; None when unknown."""
        return None

    def oom_kills(self) -> int:
        return 0

    def pids(self) -> set[int]:
        """Everything that is inside now."""
        found: set[int] = set()
        for directory in self.directories.values():
            try:
                with open(os.path.join(directory, "cgroup.procs"), encoding="ascii") as file:
                    found.update(int(line) for line in file)
            except OSError:
                continue  # removed already
        return found

    def forbid_forks(self) -> None:
        for directory in self.directories.values():
            path = os.path.join(directory, "pids.max")
            if os.path.exists(path):
                write_text(path, "0")

    def kill_all(self) -> None:
        for pid in self.pids():
            kill(pid, 9)

    def remove(self) -> None:
        """Delete the groups; the kernel needs a moment after the last process."""
        for directory in set(self.directories.values()):
            for _ in range(REMOVE_TRIES):
                try:
                    os.rmdir(directory)
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)
                else:
                    break


class CgroupV1(Unconfined):
    """One directory per controller."""

    name = "cgroup-v1"

    def limit_memory(self, limit_bytes: int) -> None:
        write_text(self._file("memory", "memory.limit_in_bytes"), str(limit_bytes))
        swap = self._file("memory", "memory.memsw.limit_in_bytes")
        if os.path.exists(swap):
            write_text(swap, str(limit_bytes))

    def cpu_us(self) -> int | None:
        used_ns = read_number(self._file("cpuacct", "cpuacct.usage"))
        return None if used_ns is None else used_ns // 1000

    def memory_bytes(self) -> int | None:
        used = read_number(self._file("memory", "memory.usage_in_bytes"))
        idle = read_table(self._file("memory", "memory.stat")).get("total_inactive_file", 0)
        return None if used is None else max(0, used - idle)

    def ios(self) -> tuple[int, int, int, int] | None:
        # Buffered writes are charged to the root group in v1: only /proc sees them (meter.py).
        return None

    def oom_kills(self) -> int:
        return read_table(self._file("memory", "memory.oom_control")).get("oom_kill", 0)

    def _file(self, controller: str, name: str) -> str:
        return os.path.join(self.directories.get(controller, "/nonexistent"), name)


class CgroupV2(Unconfined):
    """One directory for everything."""

    name = "cgroup-v2"

    def limit_memory(self, limit_bytes: int) -> None:
        write_text(self._file("memory.max"), str(limit_bytes))
        swap = self._file("memory.swap.max")
        if os.path.exists(swap):
            write_text(swap, "0")

    def cpu_us(self) -> int | None:
        return read_table(self._file("cpu.stat")).get("usage_usec")

    def memory_bytes(self) -> int | None:
        used = read_number(self._file("memory.current"))
        idle = read_table(self._file("memory.stat")).get("inactive_file", 0)
        return None if used is None else max(0, used - idle)

    def ios(self) -> tuple[int, int, int, int] | None:
        try:
            with open(self._file("io.stat"), encoding="ascii") as file:
                fields = [field.partition("=") for line in file for field in line.split()[1:]]
        except OSError:
            return None
        read_ios, write_ios, read_bytes, write_bytes = (
            sum(int(value) for name, _, value in fields if name == wanted)
            for wanted in ("rios", "wios", "rbytes", "wbytes")
        )
        return read_ios, write_ios, read_bytes, write_bytes

    def oom_kills(self) -> int:
        return read_table(self._file("memory.events")).get("oom_kill", 0)

    def _file(self, name: str) -> str:
        return os.path.join(self.directories["unified"], name)
