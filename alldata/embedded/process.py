"""How is a child started so that it can neither outlive us unseen nor be mistaken for another?

Every child gets its own session, a log file, a mark in its environment that names the data directory, and the
kernel's promise to signal it when we die. Stopping always ends: signal, grace, SIGKILL of the whole session.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from alldata.embedded.privilege import become_nobody, enter_user_namespace, user_namespaces_work

MARK = "ALLDATA_SUPERVISED"
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Command:
    """What to start. `death_signal` is what the child gets when we die without stopping it."""

    argv: tuple[str, ...]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    death_signal: int = signal.SIGTERM
    never_root: bool = False


def spawn(command: Command) -> subprocess.Popen[bytes]:
    """Start the command in its own session; output goes to the end of its log file."""
    command.log.parent.mkdir(parents=True, exist_ok=True)
    with command.log.open("ab") as log:
        return subprocess.Popen(
            command.argv,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **command.env},
            start_new_session=True,
            preexec_fn=preparation(command.death_signal, never_root=command.never_root),
        )


def preparation(death_signal: int, *, never_root: bool = False) -> Callable[[], None]:
    """What the child does between fork and exec: step down from root where asked, then tie itself to our life.

    The order matters: changing credentials clears the parent-death signal.
    """
    parent = os.getpid()
    namespaces = never_root and os.geteuid() == 0 and user_namespaces_work()

    def prepare() -> None:
        if never_root and os.geteuid() == 0:
            enter_user_namespace() if namespaces else become_nobody()
        if sys.platform == "linux":
            _LIBC.prctl(_PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:
            os._exit(125)

    return prepare


def stop(process: subprocess.Popen[bytes], *, first: int = signal.SIGTERM, grace_s: float = 8.0) -> None:
    """End one child and whatever is left of its session."""
    if process.poll() is None:
        process.send_signal(first)
        try:
            process.wait(grace_s)
        except subprocess.TimeoutExpired:
            signal_session(process.pid, signal.SIGKILL)
            process.wait()
    signal_session(process.pid, signal.SIGKILL)


def signal_session(leader: int, number: int) -> None:
    """Signal every process of the session that `leader` began, also when the leader is gone."""
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader:
                process.send_signal(number)
        except (psutil.Error, OSError):
            continue


def start_ticks(pid: int) -> int | None:
    """When the process began, in the kernel's ticks: with the pid it names one process for ever. None when gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return None if fields[0] in ("Z", "X") else int(fields[19])


def marked(data_dir: Path) -> list[psutil.Process]:
    """Every live process whose environment says that it belongs to this data directory, except us."""
    wanted = f"{MARK}={data_dir}".encode()
    others = (process for process in psutil.process_iter() if process.pid != os.getpid())
    return [process for process in others if _has_mark(process.pid, wanted)]


def _has_mark(pid: int, wanted: bytes) -> bool:
    try:
        return wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
