"""What does this machine have, all parts together?

`inspect` reads once and remembers nothing, takes well under 300 ms and never fails for a missing
file: what it could not learn is a missing capacity with a reason, or a line in `gaps`.
"""

import platform
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from alldata.agent.probe import cgroup, cpu, gpu, memory, network, numa, nvme, other_makers, pcie
from alldata.agent.probe.nvml import Nvml
from alldata.agent.probe.tree import Tree, show_list
from alldata.agent.wire import AttributeValue, Device, Link


@dataclass(frozen=True, slots=True)
class Machine:
    """Everything the probe found."""

    hostname: str
    boot_id: str
    pools: tuple[numa.Pool, ...]
    devices: tuple[Device, ...]
    links: tuple[Link, ...]
    limits: dict[str, AttributeValue]
    versions: dict[str, str]
    gaps: tuple[str, ...]

    @property
    def cores(self) -> int:
        return sum(len(pool.cpus) for pool in self.pools)


@dataclass(frozen=True, slots=True)
class Driver:
    """How cards are asked: NVML, or why there is none, and the Xid errors seen so far by uuid."""

    nvml: Nvml | None = None
    why_not: str = ""
    xids: Mapping[str, int] = field(default_factory=dict)


def inspect(node: str, *, root: Path = Path("/"), driver: Driver | None = None) -> Machine:
    """Read the machine (or a recording of one) that is called `node`."""
    tree = Tree(root)
    driver = driver or Driver()
    confines = cgroup.limits(tree)
    pools = numa.pools(tree, confines)
    drives, drive_places = nvme.devices(tree, node)
    cards = gpu.cards(tree, node, driver.nvml, driver.why_not, driver.xids)
    nics, nic_places = network.devices(tree, node)
    strangers, stranger_places = other_makers.devices(tree, node)
    places = drive_places | nic_places | stranger_places
    places |= {card.device.uuid: card.place for card in cards if card.place}
    ports, links = pcie.root_ports(tree, node, places)
    devices = (
        *cpu.devices(tree, node, pools),
        *memory.devices(tree, node, pools),
        *(device for card in cards for device in (card.device, *card.parts)),
        *strangers,
        *drives,
        *nics,
        *ports,
    )
    return Machine(
        hostname=socket.gethostname() if tree.is_live else tree.text("proc/sys/kernel/hostname") or node,
        boot_id=boot_id(tree),
        pools=pools,
        devices=devices,
        links=(*links, *gpu.links(cards)),
        limits=_shown(confines),
        versions=_versions(tree) | _driver_version(driver.nvml),
        gaps=_gaps(tree, devices),
    )


def boot_id(tree: Tree) -> str:
    """Which start of the machine this is."""
    return tree.text("proc/sys/kernel/random/boot_id") or "unknown"


def _shown(limits: cgroup.Limits) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue] = {"cgroup": limits.kind}
    if limits.cpus is not None:
        found["cpus"] = show_list(tuple(sorted(limits.cpus)))
    if limits.mems is not None:
        found["mems"] = show_list(tuple(sorted(limits.mems)))
    if limits.millicores is not None:
        found["cpu_millicores"] = limits.millicores
    if limits.memory_bytes is not None:
        found["memory_bytes"] = limits.memory_bytes
    return found


def _versions(tree: Tree) -> dict[str, str]:
    kernel = platform.release() if tree.is_live else tree.text("proc/sys/kernel/osrelease")
    return {"python": platform.python_version()} | ({"kernel": kernel} if kernel else {})


def _driver_version(nvml: Nvml | None) -> dict[str, str]:
    version = nvml.ask("SystemGetDriverVersion").value if nvml else None
    return {"nvidia_driver": str(version)} if version else {}


def _gaps(tree: Tree, devices: tuple[Device, ...]) -> tuple[str, ...]:
    """What could not be learned about the machine as a whole."""
    kinds = {device.type for device in devices}
    found = [f"no_{kind}_found" for kind in ("cpu", "memory", "storage") if kind not in kinds]
    return (*found, *(() if tree.has(numa.NODES) else ("numa_unknown",)))
