"""Which settings of this host spoil placement? Value now, value wanted, why, and the command that sets it.

Only what applies is examined: no drive, no word on drives. A finding is advice; nothing is changed here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from alldata.agent.probe import pcie
from alldata.agent.probe.gpu import NVIDIA
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import Device

_KERNEL_ARGUMENT = "grubby --update-kernel=ALL --args='{}'   # or GRUB_CMDLINE_LINUX, update-grub; then reboot"
_POWER_SAVE = "sys/module/nvme_core/parameters/default_ps_max_latency_us"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting; `command` is what a root shell on this host needs."""

    name: str
    now: str
    wanted: str
    why: str
    command: str

    @property
    def ok(self) -> bool:
        return self.now == self.wanted


def examine(tree: Tree, devices: tuple[Device, ...]) -> tuple[Setting, ...]:
    """Every setting that applies to this host, good ones too."""
    checks: tuple[Callable[[Tree], Iterator[Setting]], ...] = (
        _nvme_power,
        _numa_balancing,
        _persistent_memory,
        _nouveau,
        _governor,
        _iommu,
    )
    return (*(setting for check in checks for setting in check(tree)), *_persistence(devices))


def _nvme_power(tree: Tree) -> Iterator[Setting]:
    now = tree.text(_POWER_SAVE)
    if now is not None and tree.names("sys/class/nvme"):
        yield Setting(
            "nvme_core.default_ps_max_latency_us",
            now,
            "0",
            "drives that doze answer the first request milliseconds late",
            _KERNEL_ARGUMENT.format("nvme_core.default_ps_max_latency_us=0"),
        )


def _numa_balancing(tree: Tree) -> Iterator[Setting]:
    now = tree.text("proc/sys/kernel/numa_balancing")
    nodes = [name for name in tree.names("sys/devices/system/node") if name.removeprefix("node").isdecimal()]
    if now is not None and len(nodes) > 1:
        yield Setting(
            "kernel.numa_balancing",
            now,
            "0",
            "the kernel moves pages that placement has put where they belong, and unmaps them to find out",
            "sysctl -w kernel.numa_balancing=0 && echo kernel.numa_balancing=0 > /etc/sysctl.d/60-alldata.conf",
        )


def _persistent_memory(tree: Tree) -> Iterator[Setting]:
    """Modules without a region are in Memory Mode: the kernel sees them as slow DRAM, or not at all."""
    names = tree.names("sys/bus/nd/devices")
    if any(name.startswith("nmem") for name in names):
        yield Setting(
            "persistent memory",
            "App Direct" if any(name.startswith("region") for name in names) else "Memory Mode or not configured",
            "App Direct",
            "in Memory Mode its bandwidth hides behind a cache of DRAM and cannot be reserved",
            "ipmctl create -goal PersistentMemoryType=AppDirect   # then reboot; this erases the modules",
        )


def _nouveau(tree: Tree) -> Iterator[Setting]:
    cards = [a for a in tree.names(pcie.DEVICES) if tree.text(f"{pcie.DEVICES}/{a}/vendor") == NVIDIA]
    drivers = {pcie.driver_of(tree, address) for address in cards} - {None}
    if drivers & {"nouveau", "nvidia"} or (cards and tree.has("sys/module/nouveau")):
        yield Setting(
            "GPU driver",
            "nouveau" if "nouveau" in drivers or "nvidia" not in drivers else "nvidia",
            "nvidia",
            "nouveau can neither compute nor be metered",
            "echo 'blacklist nouveau' > /etc/modprobe.d/nouveau.conf && dracut -f   # install the driver; reboot",
        )


def _governor(tree: Tree) -> Iterator[Setting]:
    where = "sys/devices/system/cpu"
    found = {tree.text(f"{where}/{name}/cpufreq/scaling_governor") for name in tree.names(where)} - {None}
    governors = sorted(governor for governor in found if governor)
    if governors:
        yield Setting(
            "cpufreq governor",
            ", ".join(governors),
            "performance",
            "cores that clock down make the same placement slow one day and fast the next",
            "cpupower frequency-set -g performance",
        )


def _iommu(tree: Tree) -> Iterator[Setting]:
    """Translation between cards is what hurts; passing through, or no IOMMU at all, does not."""
    groups = tree.names("sys/kernel/iommu_groups")
    kinds = {tree.text(f"sys/kernel/iommu_groups/{group}/type") for group in groups} - {None}
    if kinds:
        yield Setting(
            "IOMMU",
            "translating" if any(kind and kind.startswith("DMA") for kind in kinds) else "passing through",
            "passing through",
            "every access between cards, drives and network is translated, and cards cannot reach one another directly",
            _KERNEL_ARGUMENT.format("iommu=pt"),
        )


def _persistence(devices: tuple[Device, ...]) -> Iterator[Setting]:
    modes = [device.attributes["persistence_mode"] for device in devices if "persistence_mode" in device.attributes]
    if modes:
        yield Setting(
            "GPU persistence mode",
            "on" if all(modes) else f"off on {modes.count(False)} of {len(modes)}",
            "on",
            "without it the driver unloads between jobs: each start takes seconds, and settings are forgotten",
            "systemctl enable --now nvidia-persistenced   # or: nvidia-smi -pm 1",
        )
