"""What may still run or lie about when a shim was killed before it could clean up?"""

import glob
import os
import signal
from pathlib import Path

from scheduling.executors.rundir import Facts

TRIES = 50


def sweep(key: str, status: Facts) -> None:
    """Kill what carries the attempt's mark, then remove its cgroups and shared memory.

    The main process died with the shim (parent-death signal); its children may not have. They
    are found by their cgroup and by the ALLDATA_ATTEMPT variable every process inherits.
    """
    listed = status.get("cgroups")
    groups = [str(group) for group in listed] if isinstance(listed, list) else []
    groups = [group for group in groups if os.path.basename(group) == f"alldata-{key}"]
    for _ in range(TRIES):
        survivors = _inside(groups) | _marked(key)
        if not survivors:
            break
        for pid in survivors:
            _kill(pid)
    for group in groups:
        if os.path.isdir(group):
            _remove(group)
    for path in glob.glob(f"/dev/shm/alldata_{key.replace('-', '')[-12:]}_*"):
        Path(path).unlink(missing_ok=True)


def _inside(groups: list[str]) -> set[int]:
    pids: set[int] = set()
    for group in groups:
        try:
            pids.update(int(line) for line in Path(group, "cgroup.procs").read_text().split())
        except OSError:
            continue  # removed already
    return pids


def _marked(key: str) -> set[int]:
    """Processes, zombies aside, that inherited this attempt's name."""
    mark = f"\0ALLDATA_ATTEMPT={key}\0".encode()
    pids = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in b"\0" + (entry / "environ").read_bytes():
                pids.add(int(entry.name))
        except OSError:
            continue  # ended, or not ours
    return pids


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _remove(group: str) -> None:
    """Zombies keep a group busy for a moment; what stays is removed by the next sweep."""
    try:
        os.rmdir(group)
    except OSError:
        return
