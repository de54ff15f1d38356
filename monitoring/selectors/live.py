"""What is every device doing now? The newest frame of each agent beside what devices can give.

The same rows feed the heatmap, the exporter and the node page, so the numbers agree.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from alldata.agent.wire import Usage
from alldata.tenancy.viewer import Viewer
from monitoring.frames import unpack
from monitoring.models import AgentStream
from scheduling.selectors.inventory import nodes
from scheduling.selectors.metering import supplies


@dataclass(frozen=True, slots=True)
class Asked:
    """One capability of one device that should have a live value."""

    node: str
    device: str
    type: str
    dimension: str
    capacity: int | None
    simulated: bool


@dataclass(frozen=True, slots=True)
class LiveValue:
    """The mean over the newest window. `value` None is missing, never zero; `reason` says why."""

    node: str
    device: str
    type: str
    dimension: str
    capacity: int | None
    value: int | None
    q: int | None
    percent: float | None
    peak: int | None
    quality: str
    source: str
    window_ms: int | None
    age_ms: int | None
    reason: str | None
    simulated: bool


def live(viewer: Viewer, *, now_ms: int, node: str | None = None) -> list[LiveValue]:
    """Live values of the devices this viewer sees (of one machine), by node, device, dimension."""
    asked = [
        Asked(machine.name, device.uuid, device.type, dimension.name, dimension.capacity, device.simulated)
        for machine in nodes(viewer, name=node)
        for device in machine.devices
        for dimension in device.dimensions
    ]
    return list(_values(asked, _newest(node), now_ms=now_ms))


def live_supply(*, now_ms: int) -> list[LiveValue]:
    """The same for every device in service (the exporter; platform-internal)."""
    asked = [
        Asked(s.node, s.device, s.device_type, s.dimension, s.capacity, s.simulated)
        for s in supplies(now_ms, now_ms + 1)
    ]
    return list(_values(asked, _newest(None), now_ms=now_ms))


@dataclass(frozen=True, slots=True)
class _Newest:
    start_ms: int
    end_ms: int
    devices: Mapping[str, Mapping[str, Usage]]


def _newest(agent: str | None) -> dict[str, _Newest]:
    found = {}
    streams = AgentStream.objects.order_by("agent", "-newest_ms").distinct("agent")
    for stream in streams if agent is None else streams.filter(agent=agent):
        devices, _ = unpack(bytes(stream.live))
        found[stream.agent] = _Newest(stream.live_start_ms, stream.newest_ms, {d.uuid: d.dims for d in devices})
    return found


def _values(asked: list[Asked], newest: Mapping[str, _Newest], *, now_ms: int) -> Iterator[LiveValue]:
    for cell in sorted(asked, key=lambda a: (a.node, a.device, a.dimension)):
        frame = newest.get(cell.node)
        usage = frame.devices.get(cell.device, {}).get(cell.dimension) if frame else None
        yield _value(cell, frame, usage, now_ms=now_ms)


def _value(cell: Asked, frame: _Newest | None, usage: Usage | None, *, now_ms: int) -> LiveValue:
    window = frame.end_ms - frame.start_ms if frame else None
    value = usage.q // window if usage and usage.q is not None and window else None
    percent = round(min(value / cell.capacity, 1.0) * 100, 1) if value is not None and cell.capacity else None
    return LiveValue(
        node=cell.node,
        device=cell.device,
        type=cell.type,
        dimension=cell.dimension,
        capacity=cell.capacity,
        value=value,
        q=usage.q if usage else None,
        percent=percent,
        peak=usage.peak if usage else None,
        quality=usage.quality if usage else "missing",
        source=usage.source if usage else "",
        window_ms=window,
        age_ms=max(0, now_ms - frame.end_ms) if frame else None,
        reason=_reason(frame, usage),
        simulated=cell.simulated,
    )


def _reason(frame: _Newest | None, usage: Usage | None) -> str | None:
    if frame is None:
        return "no_agent_reported"
    return "not_reported" if usage is None else usage.reason
