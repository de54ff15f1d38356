"""How does the job's first process start, with exactly the surroundings it was granted?

Everything inherited (CPU affinity, memory policy) is set on the shim before the fork, so both
stay on the granted hardware. The child waits for a byte before it becomes the job: by then it
is inside its cgroup and limits, so not one instruction of the job runs unconfined.
"""

import os
import resource
import signal
import socket

from alldata.agent.shim.cgroups import Unconfined
from alldata.agent.shim.files import Json
from alldata.agent.shim.linux import bind_memory, die_with_parent

COPY_BYTES = 64 * 1024 * 1024
FIRST_PORT, LAST_PORT = 18_000, 32_000


class SpawnError(Exception):
    """The job could not be started; the message says why."""


class Surroundings:
    """Paths, ports and variables of one attempt."""

    def __init__(self, run: str, spec: Json) -> None:
        self.run, self.work = run, os.path.join(run, "work")
        self.spec = spec
        self.ports = free_ports(strings(spec["ports"]))
        self.shm_prefix = shm_prefix(str(spec["key"]))

    def filled(self, text: str) -> str:
        """Put the real values where the spec says {work} or {port:NAME}."""
        text = text.replace("{work}", self.work)
        for name, port in self.ports.items():
            text = text.replace(f"{{port:{name}}}", str(port))
        return text

    def command(self) -> list[str]:
        return [self.filled(word) for word in strings(self.spec["command"])]

    def environment(self) -> dict[str, str]:
        """A small clean environment: nothing of the server's leaks in (docs/shim.md lists it)."""
        asked = self.spec["env"]
        own = dict(asked) if isinstance(asked, dict) else {}
        cpus = len(os.sched_getaffinity(0))
        return {
            "PATH": str(self.spec["path"]),
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            "OMP_NUM_THREADS": str(cpus),
            "HOME": self.work,
            "TMPDIR": os.path.join(self.run, "tmp"),
            **{name: self.filled(str(value)) for name, value in own.items()},
            "CUDA_VISIBLE_DEVICES": ",".join(strings(self.spec["gpu_uuids"])),
            "ALLDATA_ATTEMPT": str(self.spec["key"]),
            "ALLDATA_CPUS": str(cpus),
            "ALLDATA_PROGRESS_FILE": os.path.join(self.run, "progress.json"),
            "ALLDATA_SHM_PREFIX": self.shm_prefix,
            "ALLDATA_WORK": self.work,
        }

    def lay_files(self) -> None:
        """Create the working directory and put the spec's files into it."""
        os.makedirs(os.path.join(self.run, "tmp"), exist_ok=True)
        os.makedirs(self.work, exist_ok=True)
        files = self.spec["files"]
        for file in files if isinstance(files, list) else []:
            target = os.path.join(self.work, file["name"])
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if file["path"] is not None:
                copy_file(file["path"], target)
            else:
                with open(target, "w", encoding="utf-8") as written:
                    written.write(file["text"] or "")


def copy_file(source: str, target: str) -> None:
    """The kernel copies; a stored artifact is never shared with a job that might write to it."""
    with open(source, "rb") as original, open(target, "wb") as copy:
        while os.sendfile(copy.fileno(), original.fileno(), None, COPY_BYTES):
            continue


def strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def integers(value: object) -> list[int]:
    return [int(item) for item in value] if isinstance(value, list) else []


def shm_prefix(key: str) -> str:
    """What this attempt's names in /dev/shm begin with; whoever cleans up goes by it."""
    return f"alldata_{key.replace('-', '')[-12:]}_"


def free_ports(names: list[str]) -> dict[str, int]:
    """A free port of 127.0.0.1 for each name, below the range outgoing connections draw from."""
    held: list[socket.socket] = []
    ports: dict[str, int] = {}
    while len(ports) < len(names):
        draw = int.from_bytes(os.urandom(4), "big")
        port = FIRST_PORT + draw % (LAST_PORT - FIRST_PORT)
        probe = socket.socket()
        held.append(probe)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue  # taken: draw again
        ports[names[len(ports)]] = port
    for probe in held:
        probe.close()
    return ports


def pin(spec: Json) -> dict[str, str]:
    """Confine this process, and so its children, to the granted CPUs and NUMA nodes."""
    limits = {"cpu": "none", "numa": "none"}
    cpus, numa_nodes = integers(spec["cpus"]), integers(spec["numa_nodes"])
    if cpus:
        try:
            os.sched_setaffinity(0, cpus)
        except OSError as refusal:
            raise SpawnError(f"CPUs {cpus} cannot be had: {refusal}") from refusal
        limits["cpu"] = "affinity"
    if bind_memory(numa_nodes):
        limits["numa"] = "set_mempolicy"
    return limits


def start(around: Surroundings, group: Unconfined, *, output: int, data_limit: int | None) -> int:
    """Fork, confine and exec the job; returns its pid. Errors: SpawnError."""
    go_read, go_write = os.pipe()
    error_read, error_write = os.pipe()
    shim = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(go_write)
        _become(around, shim=shim, go=go_read, output=output, errors=error_write)
    os.close(go_read)
    os.close(error_write)
    try:
        group.join(pid)
        if data_limit is not None:
            resource.prlimit(pid, resource.RLIMIT_DATA, (data_limit, data_limit))
        os.write(go_write, b"!")
    finally:
        os.close(go_write)
    with os.fdopen(error_read, "rb") as errors:
        refusal = errors.read().decode(errors="replace")
    if refusal:
        os.waitpid(pid, 0)
        raise SpawnError(refusal)
    return pid


def _become(around: Surroundings, *, shim: int, go: int, output: int, errors: int) -> None:
    """In the child: wait for the word, then turn into the job. Never returns."""
    try:
        for number in (signal.SIGPIPE, signal.SIGHUP):  # the shim ignores both; ignoring is inherited
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        die_with_parent()
        if os.getppid() != shim or os.read(go, 1) != b"!":
            os._exit(127)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(around.work)
        command, environment = around.command(), around.environment()
        os.execvpe(command[0], command, environment)
    except OSError as refusal:
        os.write(errors, f"{refusal}".encode())
    finally:
        os._exit(127)
