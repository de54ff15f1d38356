"""Is this machine idle enough to be measured? Measuring beside running jobs would slow them and measure too little."""

import time
from pathlib import Path

from alldata.agent.files import read_json
from alldata.agent.probe.nvml import Nvml
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import Device

WATCH_S = 0.3
BUSY_SHARE = 0.5
_LIVE = {"starting", "running", "stopping"}


def why_busy(runs_dir: Path, tree: Tree, *, despite_load: bool = False) -> str | None:
    """The reason not to measure now, in words; None where the machine is idle.

    `despite_load` accepts busy cores, never attempts of ours: their owners would pay for the disturbance.
    """
    live = sum(_is_live(path) for path in runs_dir.glob("*/status.json"))
    if live:
        return f"{live} attempts run here"
    share = None if despite_load else busy_share(tree, WATCH_S)
    if share is not None and share > BUSY_SHARE:
        return f"its cores are {share:.0%} busy"
    return None


def _is_live(path: Path) -> bool:
    found = read_json(path)
    return found is not None and found.get("state") in _LIVE


def idle_cards(nvml: Nvml | None, devices: tuple[Device, ...]) -> tuple[str, ...]:
    """Uuids of the cards that do nothing for anybody: no load, no process."""
    found = []
    for device in devices if nvml else ():
        handle = nvml.ask("DeviceGetHandleByUUID", device.uuid).value if nvml and device.type == "gpu" else None
        if nvml is None or handle is None or device.health != "ok":
            continue
        load = nvml.ask("DeviceGetUtilizationRates", handle).value
        users = nvml.ask("DeviceGetComputeRunningProcesses", handle)
        if load is not None and load.gpu == 0 and users.value == []:
            found.append(device.uuid)
    return tuple(found)


def busy_share(tree: Tree, seconds: float) -> float | None:
    """The part of all cores' time that was work; None where the kernel does not count."""
    before = _ticks(tree)
    time.sleep(seconds)
    after = _ticks(tree)
    if before is None or after is None or after[1] <= before[1]:
        return None
    return 1 - (after[0] - before[0]) / (after[1] - before[1])


def _ticks(tree: Tree) -> tuple[int, int] | None:
    """(idle, all) ticks since boot."""
    first = (tree.text("proc/stat") or "").partition("\n")[0].split()
    if len(first) < 6 or first[0] != "cpu":
        return None
    cells = [int(cell) for cell in first[1:9]]
    return cells[3] + cells[4], sum(cells)
