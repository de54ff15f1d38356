"""What does the machine itself show of an attempt?"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from scheduling.executors.base import Phase
from tests.contract.engines import Local


def status(engine: Local, key: str) -> dict[str, int]:
    """What the shim said last."""
    found: dict[str, int] = json.loads((engine.runs / key / "status.json").read_text())
    return found


def running(engine: Local, key: str) -> dict[str, int]:
    engine.until(key, lambda seen: seen.phase is Phase.RUNNING)
    return status(engine, key)


def marked(key: str) -> list[int]:
    """Live processes that inherited the attempt's name."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("ALLDATA_ATTEMPT") == key:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def cgroups(key: str) -> list[Path]:
    return list(Path("/sys/fs/cgroup").glob(f"**/alldata-{key}"))


def until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 10
    while not condition() and time.monotonic() < give_up:
        time.sleep(0.01)
    assert condition()
