"""What did each device do since the last look?

Readings are of two kinds. A `counter` is cumulative and already in units of q (value x ms): its
difference is exact however late we look. A `level` is a momentary value: it is integrated over the
time since the last look, but over no more than MAX_HOLD_MS, because nobody saw the rest.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from alldata.agent.probe import numa, nvme
from alldata.agent.probe.machine import Machine
from alldata.agent.probe.nvml import Nvml
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import Device, DeviceUsage, Quality, Source, Usage

MAX_HOLD_MS = 5_000
#: Beyond these a value is one of the driver's ways to say that it does not know.
MOST_BYTES, MOST_MILLIJOULES = 2**50, 2**53
IMPLAUSIBLE = "implausible"
TICK_US = 1_000_000 // os.sysconf("SC_CLK_TCK")
Slot = tuple[str, str]  # device uuid, dimension


@dataclass(frozen=True, slots=True)
class Reading:
    """One value seen now; None with the reason when the source did not answer."""

    value: int | None
    is_counter: bool
    source: Source = "sysfs"
    quality: Quality = "measured"
    reason: str | None = None


@dataclass(slots=True)
class Total:
    """What one window has gathered of one dimension."""

    q: int = 0
    peak: int = 0
    coverage_ms: int = 0
    latest: Reading = field(default_factory=lambda: Reading(None, False))

    def as_usage(self) -> Usage:
        seen = self.latest
        if self.coverage_ms == 0:
            return Usage(None, seen.source, "missing", reason=seen.reason or "not_observed")
        return Usage(self.q, seen.source, seen.quality, self.peak, self.coverage_ms)


class Sampler:
    """Turns readings into windows. The first look of an epoch only sets the baseline."""

    def __init__(self) -> None:
        self._previous: dict[Slot, Reading] = {}
        self._looked_ms: int | None = None
        self._totals: dict[Slot, Total] = {}

    def look(self, readings: Mapping[Slot, Reading], at_ms: int) -> None:
        """Add what happened since the last look."""
        span = 0 if self._looked_ms is None else at_ms - self._looked_ms
        for slot, reading in readings.items():
            total = self._totals.setdefault(slot, Total())
            total.latest = reading
            if span > 0:
                _gather(total, self._previous.get(slot), reading, span)
        self._previous = dict(readings)
        self._looked_ms = at_ms

    def peek(self) -> tuple[DeviceUsage, ...]:
        """The open window's usage by device."""
        by_device: dict[str, dict[str, Usage]] = {}
        for (uuid, dimension), total in self._totals.items():
            by_device.setdefault(uuid, {})[dimension] = total.as_usage()
        return tuple(DeviceUsage(uuid, dims) for uuid, dims in by_device.items())

    def clear(self) -> None:
        """The window is safe elsewhere; the next one starts empty."""
        self._totals = {}


def _gather(total: Total, before: Reading | None, now: Reading, span_ms: int) -> None:
    if now.value is None or before is None or before.value is None:
        return
    if not now.is_counter:
        span_ms = min(span_ms, MAX_HOLD_MS)
        grown = (before.value + now.value) * span_ms // 2
    else:
        grown = now.value - before.value
        if grown < 0:
            return  # the counter was reset (device replaced): this span was not observed
    total.q += grown
    total.peak = max(total.peak, now.value if not now.is_counter else grown // span_ms)
    total.coverage_ms += span_ms


def read_all(tree: Tree, machine: Machine, nvml: Nvml | None) -> dict[Slot, Reading]:
    """Every counter and level of the machine's devices, now."""
    by_uuid = {device.uuid: device for device in machine.devices}
    return {
        slot: reading
        for source in (
            _cpu(tree, machine, by_uuid),
            _memory(tree, machine, by_uuid),
            _storage(tree, machine.devices),
            _network(tree, machine.devices),
            _gpu(nvml, machine.devices),
        )
        for slot, reading in source
    }


def _uuid(by_uuid: Mapping[str, Device], numa_node: int, kind: str) -> str | None:
    matches = (d.uuid for d in by_uuid.values() if d.type == kind and d.numa_node == numa_node)
    return next(matches, None)


def _cpu(tree: Tree, machine: Machine, by_uuid: Mapping[str, Device]) -> Iterator[tuple[Slot, Reading]]:
    busy = _busy_us(tree)
    for pool in machine.pools:
        uuid = _uuid(by_uuid, pool.node, "cpu")
        if uuid is not None:
            known = [busy[cpu] for cpu in pool.cpus if cpu in busy]
            value = sum(known) if len(known) == len(pool.cpus) else None
            yield (uuid, "cpu_millicores"), Reading(value, True, reason="cpu_offline")


def _busy_us(tree: Tree) -> dict[int, int]:
    """Microseconds each CPU has worked since boot: not idle, not waiting for I/O, not taken by the host."""
    found = {}
    for line in (tree.text("proc/stat") or "").splitlines():
        name, *cells = line.split()
        if name[:3] == "cpu" and name[3:].isdecimal() and len(cells) >= 7:
            user, nice, system, _idle, _iowait, irq, softirq = map(int, cells[:7])
            found[int(name[3:])] = (user + nice + system + irq + softirq) * TICK_US
    return found


def _memory(tree: Tree, machine: Machine, by_uuid: Mapping[str, Device]) -> Iterator[tuple[Slot, Reading]]:
    holders = [pool for pool in machine.pools if pool.total_bytes]
    for pool in holders:
        uuid = _uuid(by_uuid, pool.node, "memory")
        if uuid is not None:
            used = numa.used_bytes(tree, pool, alone=len(holders) == 1)
            yield (uuid, "memory_bytes"), Reading(used, False, reason="meminfo_incomplete")


def _storage(tree: Tree, devices: tuple[Device, ...]) -> Iterator[tuple[Slot, Reading]]:
    for device in devices:
        if device.type == "storage":
            cells = [int(cell) for cell in (tree.text(f"sys/block/{device.name}/stat") or "").split()]
            ios = sectors = waited = None
            if len(cells) >= 11:
                ios, sectors, waited = cells[0] + cells[4], cells[2] + cells[6], cells[10]
            moved = None if sectors is None else sectors * nvme.SECTOR * 1000
            yield (device.uuid, "storage_iops"), Reading(None if ios is None else ios * 1000, True, reason="no_stat")
            yield (device.uuid, "storage_bandwidth"), Reading(moved, True, reason="no_stat")
            yield (device.uuid, "storage_queue_slots"), Reading(waited, True, reason="no_stat")


def _network(tree: Tree, devices: tuple[Device, ...]) -> Iterator[tuple[Slot, Reading]]:
    for device in devices:
        if device.type == "network":
            where = f"sys/class/net/{device.name}/statistics"
            received, sent = tree.number(f"{where}/rx_bytes"), tree.number(f"{where}/tx_bytes")
            value = None if received is None or sent is None else (received + sent) * 1000
            yield (device.uuid, "network_bandwidth"), Reading(value, True, reason="no_statistics")


def _gpu(nvml: Nvml | None, devices: tuple[Device, ...]) -> Iterator[tuple[Slot, Reading]]:
    """Utilisation only says that some kernel ran, so it is an upper bound of SM use: a proxy."""
    for device in devices:
        if nvml is None or device.type != "gpu" or device.health == "lost":
            continue
        handle = nvml.ask("DeviceGetHandleByUUID", device.uuid)
        busy = nvml.ask("DeviceGetUtilizationRates", handle.value) if handle.value else handle
        memory = nvml.ask("DeviceGetMemoryInfo", handle.value) if handle.value else handle
        drawn = nvml.ask("DeviceGetTotalEnergyConsumption", handle.value) if handle.value else handle
        share = None if busy.value is None else _likely(busy.value.gpu, 100)
        used = None if memory.value is None else _likely(memory.value.used, MOST_BYTES)
        energy = None if drawn.value is None else _likely(drawn.value, MOST_MILLIJOULES)
        percent = None if share is None else share * 10_000
        yield (device.uuid, "gpu_sm"), Reading(percent, False, "driver", "proxy", busy.reason or IMPLAUSIBLE)
        memory_reason = memory.reason or IMPLAUSIBLE
        yield (device.uuid, "gpu_memory_bytes"), Reading(used, False, "driver", "measured", memory_reason)
        joules = None if energy is None else energy * 1000
        if energy is not None or drawn.reason is None:
            yield (device.uuid, "power"), Reading(joules, True, "driver", "measured", IMPLAUSIBLE)


def _likely(value: object, most: int) -> int | None:
    """A number that can be true: drivers mark what they do not know by the largest numbers there are."""
    return value if isinstance(value, int) and 0 <= value <= most else None
