"""What did each attempt on this node use since we last reported it?

The shim of an attempt keeps cumulative counters in RUNS_DIR/<key>/usage.json; the difference to
what the spool says was reported is this window's usage. An attempt may start and end between two
looks: its file stays until the engine forgets it, so its usage is only ever late, never lost.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from alldata.agent.files import read_json
from alldata.agent.spool import Counters
from alldata.agent.wire import AttemptUsage, DeviceUsage, Quality, Usage

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
COUNTED = ("cpu_us", "memory_byte_ms", "read_ios", "write_ios", "read_bytes", "write_bytes")
#: How long a vanished attempt is remembered, in case its directory only seemed to be gone.
REMEMBER_MS = 60_000


@dataclass(frozen=True, slots=True)
class Places:
    """Where an attempt's usage belongs when its spec names no devices."""

    cpu: Mapping[int, str]  # NUMA node -> device uuid
    memory: Mapping[int, str]
    node_of_cpu: Mapping[int, int]
    storage: str | None = None


@dataclass(frozen=True, slots=True)
class Metered:
    """The last usage.json of an attempt. A counter that the node cannot give is absent."""

    at_ms: int
    counters: Counters
    memory_bytes: int | None
    memory_peak_bytes: int | None
    elapsed_ms: int | None
    quality: Quality

    def span(self, before: Counters) -> tuple[int, int] | tuple[None, None]:
        """When the usage since `before` happened, by the shim's own count of time."""
        if self.elapsed_ms is None:
            return None, None
        passed = max(0, self.elapsed_ms - before.get("elapsed_ms", 0))
        return max(0, self.at_ms - passed), self.at_ms


class Attempts:
    """Every attempt directory, as last seen."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._stamps: dict[str, tuple[int, int]] = {}
        self._latest: dict[str, Metered] = {}
        self._peaks: dict[str, int] = {}
        self._specs: dict[str, dict[str, Any]] = {}
        self._gone_since: dict[str, int] = {}
        self._present: set[str] | None = None

    def look(self, at_ms: int) -> None:
        """Read the usage files that changed."""
        try:
            self._present = {entry.name for entry in os.scandir(self._runs_dir) if KEY.fullmatch(entry.name)}
        except OSError:
            self._present = None  # not there (yet, or just now): nothing is known, so nothing is forgotten
            return
        for key in self._present:
            self._gone_since.pop(key, None)
            self._read(key)
        for key in self._latest.keys() - self._present:
            self._gone_since.setdefault(key, at_ms)

    def _read(self, key: str) -> None:
        path = self._runs_dir / key / "usage.json"
        try:
            status = path.stat()
        except OSError:
            return
        stamp = (status.st_mtime_ns, status.st_ino)
        if self._stamps.get(key) == stamp:
            return
        metered = parse_usage(read_json(path))
        if metered is not None:
            self._stamps[key] = stamp
            self._latest[key] = metered
            self._peaks[key] = max(self._peaks.get(key, 0), metered.memory_bytes or 0)

    def close(
        self, reported: Mapping[str, Counters], places: Places, at_ms: int
    ) -> tuple[tuple[AttemptUsage, ...], dict[str, Counters]]:
        """Usage since `reported`, and what will have been reported once it is safe on disk."""
        usages: list[AttemptUsage] = []
        if self._present is not None:
            for key in reported.keys() - self._present:  # may have gone while we were away
                self._gone_since.setdefault(key, at_ms)
        after = {key: counters for key, counters in reported.items() if not self._is_over(key, at_ms)}
        for key, metered in self._latest.items():
            before = reported.get(key, {})
            if metered.at_ms == before.get("at_ms"):
                continue
            peak = self._peak(key, metered, before)
            usages += _usages(key, self._devices(key, places), _growth(metered, before, peak), metered.span(before))
            after[key] = _advance(before, metered)
        return tuple(usages), after

    def on_gpus(self, usages: Iterable[AttemptUsage], devices: Iterable[DeviceUsage]) -> tuple[AttemptUsage, ...]:
        """What attempts used of their cards in this window: the card's own reading, where one had it alone.

        The driver does not say which process kept a shared card busy, so for those it is missing.
        """
        holders: dict[str, list[str]] = {}
        for key in sorted({usage.key for usage in usages}):
            for uuid in _texts(self._specs.get(key, {}), "gpu_uuids"):
                holders.setdefault(uuid, []).append(key)
        return tuple(
            AttemptUsage(key, device.uuid, {name: _of_card(usage, len(keys)) for name, usage in device.dims.items()})
            for device in devices
            for keys in (holders.get(device.uuid, []),)
            for key in keys
        )

    def settled(self, at_ms: int) -> None:
        """The window is on disk: forget its peaks, and the attempts that have been gone long enough."""
        self._peaks = {}
        for key in [key for key in self._gone_since if self._is_over(key, at_ms)]:
            for book in (self._stamps, self._latest, self._specs, self._gone_since):
                book.pop(key, None)

    def _is_over(self, key: str, at_ms: int) -> bool:
        return at_ms - self._gone_since.get(key, at_ms) >= REMEMBER_MS

    def _peak(self, key: str, metered: Metered, before: Counters) -> int | None:
        """The window's peak: the kernel's high-water mark where it rose, else the highest we saw."""
        high = metered.memory_peak_bytes
        if high is not None and high > before.get("memory_peak_bytes", 0):
            return high
        return self._peaks.get(key)

    def _devices(self, key: str, places: Places) -> dict[str, str]:
        if key not in self._specs:
            spec = read_json(self._runs_dir / key / "spec.json")
            if spec is None:
                return devices_of({}, places)
            self._specs[key] = spec
        return devices_of(self._specs[key], places)


def parse_usage(found: Mapping[str, Any] | None) -> Metered | None:
    """A shim's usage.json; None when it is not one."""
    if found is None or type(found.get("at_ms")) is not int:
        return None
    amounts = {name: value for name, value in found.items() if type(value) is int and value >= 0}
    quality = found.get("quality")
    return Metered(
        at_ms=found["at_ms"],
        counters={name: amounts[name] for name in COUNTED if name in amounts},
        memory_bytes=amounts.get("memory_bytes"),
        memory_peak_bytes=amounts.get("memory_peak_bytes"),
        elapsed_ms=amounts.get("elapsed_ms"),
        quality=quality if quality in ("measured", "proxy", "estimated") else "measured",
    )


def devices_of(spec: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Device uuid by type: as the spec says, else the first NUMA node it is bound to."""
    nodes = [node for node in _numbers(spec, "numa_nodes") if node in places.cpu or node in places.memory]
    nodes += [places.node_of_cpu[cpu] for cpu in _numbers(spec, "cpus") if cpu in places.node_of_cpu]
    nodes += sorted(places.cpu)
    found: dict[str, str | None] = {
        "cpu": next((places.cpu[node] for node in nodes if node in places.cpu), None),
        "memory": next((places.memory[node] for node in nodes if node in places.memory), None),
        "storage": places.storage,
    }
    meta = spec.get("meta")
    for named in (spec.get("devices"), meta.get("devices") if isinstance(meta, dict) else None):
        if isinstance(named, dict):
            found |= {str(kind): uuid for kind, uuid in named.items() if isinstance(uuid, str)}
    return {kind: uuid for kind, uuid in found.items() if uuid}


def _numbers(spec: Mapping[str, Any], name: str) -> list[int]:
    found = spec.get(name)
    return [number for number in found if type(number) is int] if isinstance(found, list) else []


def _texts(spec: Mapping[str, Any], name: str) -> list[str]:
    found = spec.get(name)
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def _of_card(usage: Usage, holders: int) -> Usage:
    if holders > 1:
        return Usage(None, usage.source, "missing", reason="shared_card")
    return usage if usage.q is None else replace(usage, quality="proxy")


def _advance(before: Counters, metered: Metered) -> Counters:
    """Counters never fall: a shim that counts again from 0 must not be paid twice."""
    grown = {name: max(value, before.get(name, 0)) for name, value in metered.counters.items()}
    peak = max(metered.memory_peak_bytes or 0, before.get("memory_peak_bytes", 0))
    elapsed = max(metered.elapsed_ms or 0, before.get("elapsed_ms", 0))
    return {**before, **grown, "at_ms": metered.at_ms, "memory_peak_bytes": peak, "elapsed_ms": elapsed}


def _growth(metered: Metered, before: Counters, memory_peak: int | None) -> dict[str, dict[str, Usage]]:
    """Usage by device type and dimension."""

    def grown(*names: str, times: int = 1, peak: int | None = None) -> Usage:
        if any(name not in metered.counters for name in names):
            return Usage(None, "measured", "missing", reason="not_counted_by_the_engine")
        amount = sum(max(0, metered.counters[name] - before.get(name, 0)) for name in names)
        return Usage(amount * times, "measured", metered.quality, peak)

    return {
        "cpu": {"cpu_millicores": grown("cpu_us")},
        "memory": {"memory_bytes": grown("memory_byte_ms", peak=memory_peak)},
        "storage": {
            "storage_iops": grown("read_ios", "write_ios", times=1000),
            "storage_bandwidth": grown("read_bytes", "write_bytes", times=1000),
        },
    }


def _usages(
    key: str,
    devices: Mapping[str, str],
    growth: Mapping[str, Mapping[str, Usage]],
    span: tuple[int, int] | tuple[None, None],
) -> list[AttemptUsage]:
    return [AttemptUsage(key, devices[kind], dims, *span) for kind, dims in growth.items() if kind in devices]
