"""Which attempts are alive here, whoever started them? Shims outlive a killed supervisor on purpose.

They are adopted at the next start; only an orderly stop ends them. Everything is found through the run
directories and the mark in the environment, never by name, so another platform on this machine is safe from us.
"""

import json
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from alldata.embedded.process import marked, start_ticks


def shims(runs: Path) -> list[psutil.Process]:
    """The live shim of every run directory; a recycled pid is told apart by its start time."""
    return [process for status in runs.glob("*/status.json") if (process := _named_in(status)) is not None]


def _named_in(status: Path) -> psutil.Process | None:
    try:
        record = json.loads(status.read_text())
        pid, began = int(record["pid"]), int(record["pid_start"])
        return psutil.Process(pid) if start_ticks(pid) == began else None
    except (OSError, ValueError, KeyError, TypeError, psutil.Error):
        return None


def with_descendants(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """The processes and all that they started."""
    found: dict[int, psutil.Process] = {}
    for process in processes:
        found[process.pid] = process
        try:
            found.update((child.pid, child) for child in process.children(recursive=True))
        except psutil.Error:
            continue
    return list(found.values())


def ours(data: Path, runs: Path) -> list[psutil.Process]:
    """Every live process of this data directory except ourselves."""
    found = with_descendants((*marked(data), *shims(runs)))  # database backends write over their environment
    return [process for process in found if process.pid != os.getpid() and start_ticks(process.pid) is not None]


def sweep(data: Path, runs: Path) -> int:
    """End what a killed supervisor left behind, except attempts: those are adopted. Returns how many it found.

    They had the kernel's signal when the supervisor died, so most are gone or going; they get a moment for that.
    """
    kept = {process.pid for process in with_descendants(shims(runs))}
    found = [process for process in marked(data) if process.pid not in kept]
    end(found, grace_s=3.0, first=None)
    return len(found)


def stop_shims(runs: Path, *, grace_s: float = 8.0) -> None:
    """Ask every live shim to end its attempt, then make sure of it, its children included."""
    leaders = shims(runs)
    family = with_descendants(leaders)
    for leader in leaders:
        _signal(leader, signal.SIGTERM)
    end(family, grace_s=grace_s, first=None)


def end(processes: list[psutil.Process], *, grace_s: float, first: int | None = signal.SIGTERM) -> None:
    """Signal (where `first` is given), wait, and kill the rest; gone within `grace_s` plus a moment."""
    if first is not None:
        for process in processes:
            _signal(process, first)
    give_up = time.monotonic() + grace_s
    while _alive(processes) and time.monotonic() < give_up:
        time.sleep(0.05)
    for process in _alive(processes):
        _signal(process, signal.SIGKILL)
    give_up = time.monotonic() + 3.0
    while _alive(processes) and time.monotonic() < give_up:
        time.sleep(0.02)


def _alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [process for process in processes if start_ticks(process.pid) is not None and process.is_running()]


def _signal(process: psutil.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return


def pss_bytes(processes: Iterable[psutil.Process]) -> int:
    """Proportional memory of these processes together: shared pages are counted once over all of them."""
    return sum(_pss(process.pid) for process in processes)


def _pss(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return 0
    return 0
