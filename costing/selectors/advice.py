"""What limits a job, what lies idle beside it, and what would the same work have cost elsewhere?

Computed from what was metered and booked; codes and data, words are made at the door.

| code | data |
|---|---|
| bottleneck | capability, busy (of the device's capacity while running), slack of the next |
| holds_more_than_it_uses | capability, held and used amounts, idle money, saving from..to |
| poorly_metered | coverage |
| cheaper_elsewhere | device model, cost there, time factor from..to |
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from alldata.tenancy.viewer import Viewer
from costing.errors import NoPriceBook
from costing.pricing import capability_rates, line_for
from costing.selectors.costs import CapabilityCost, JobCost, cost_of_job
from costing.selectors.prices import Prices, prices_at
from scheduling.selectors.answers import Supply
from scheduling.selectors.inventory import supply_stamp
from scheduling.selectors.metering import supplies

#: Below this part of what is held, holding less is worth a thought; the upper end keeps some room.
LOW_USE, ROOM = 0.5, 1.25
WELL_METERED = 0.99
#: A capability this busy leaves no headroom: achievable bandwidth is about 0.8 of the published.
SATURATED = 0.8


@dataclass(frozen=True, slots=True)
class Hint:
    """One finding; `saving_nano` is (low, high) of what was charged or idle, or None."""

    code: str
    facts: Mapping[str, Any]
    saving_nano: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """The hints for one job, most money first."""

    cost: JobCost
    hints: tuple[Hint, ...]


def advice_for_job(viewer: Viewer, ref: str, *, now_ms: int) -> Advice:
    """What the figures say of one job. Errors: JobNotFound."""
    cost = cost_of_job(viewer, ref)
    devices = _supply(viewer, now_ms) if cost.parts else {}
    hints = [
        *_bottleneck(cost, devices),
        *_overheld(cost),
        *_poorly_metered(cost),
        *_elsewhere(cost, devices, now_ms=now_ms),
    ]
    hints.sort(key=lambda hint: -(hint.saving_nano[1] if hint.saving_nano else 0))
    return Advice(cost, tuple(hints))


#: The supply as last read; it is read again when it has changed.
_known: list[tuple[str, Mapping[str, Sequence[Supply]]]] = []


def _supply(viewer: Viewer, now_ms: int) -> Mapping[str, Sequence[Supply]]:
    """What every device in service can give."""
    stamp = supply_stamp(viewer)
    if not _known or _known[0][0] != stamp:
        devices: dict[str, list[Supply]] = {}
        for supply in supplies(now_ms, now_ms + 1):
            devices.setdefault(supply.device, []).append(supply)
        _known[:] = [(stamp, devices)]
    return _known[0][1]


def _bottleneck(cost: JobCost, devices: Mapping[str, Sequence[Supply]]) -> list[Hint]:
    """The capability that is busiest against its capacity, and how much room the next ones have."""
    busy = sorted(((_busy(cost, part, devices), part.dimension) for part in cost.parts), reverse=True)
    known = [(share, name) for share, name in busy if share is not None and share > 0]
    if not known:
        return []
    share, name = known[0]
    slack = {other: round(1 - value, 4) for value, other in known[1:]}
    facts = {"capability": name, "busy": round(share, 4), "saturated": share >= SATURATED, "slack": slack}
    return [Hint("bottleneck", facts)]


def _busy(cost: JobCost, part: CapabilityCost, devices: Mapping[str, Sequence[Supply]]) -> float:
    """Mean use over the job's running time, as part of the capacity of the devices it was on."""
    job = cost.job
    if job.started_ms is None:
        return 0.0
    ended = job.ended_ms or cost.booked_until_ms or job.started_ms
    capacity = sum(
        s.capacity for device in part.devices for s in devices.get(device, ()) if s.dimension == part.dimension
    )
    span = max(0, ended - job.started_ms)
    return min(1.0, part.used_q / (capacity * span)) if capacity and span else 0.0


def _overheld(cost: JobCost) -> list[Hint]:
    """Held and mostly idle: from keeping a quarter of room above the mean, to holding just the mean."""
    found = []
    for part in cost.parts:
        share = part.used_of_held
        if share is not None and share < LOW_USE and part.idle_nano > 0:
            needed = min(part.held_q, int(part.used_q * ROOM))
            low = part.idle_nano * (part.held_q - needed) // max(1, part.held_q - part.used_q)
            facts = {"capability": part.dimension, "used_of_held": round(share, 4), "charged": cost.charge_mode}
            found.append(Hint("holds_more_than_it_uses", facts, (min(low, part.idle_nano), part.idle_nano)))
    return found


def _poorly_metered(cost: JobCost) -> list[Hint]:
    if cost.coverage is None or cost.coverage >= WELL_METERED:
        return []
    return [Hint("poorly_metered", {"coverage": cost.coverage}, None)]


def _elsewhere(cost: JobCost, devices: Mapping[str, Sequence[Supply]], *, now_ms: int) -> list[Hint]:
    """The same quantities at the rates of other models of the same type that could run the job here.

    A broken or imported card runs nothing, and a played one only what is played.
    """
    try:
        prices = prices_at(now_ms)
    except NoPriceBook:
        return []
    mine = {device for part in cost.parts for device in part.devices}
    played = any(devices[name][0].simulated for name in mine if name in devices)
    able = [d for d in devices.values() if d[0].healthy and (played or not d[0].simulated)]
    models = {(d[0].device_type, d[0].model): d for d in able}
    here = {(devices[name][0].device_type, devices[name][0].model) for name in mine if name in devices}
    found = []
    for (kind, model), device in sorted(models.items()):
        if model and (kind, model) not in here and any(kind == other for other, _ in here):
            found += _on(cost, prices, device, [devices[name] for name in mine if name in devices])
    return found


def _on(cost: JobCost, prices: Prices, device: Sequence[Supply], current: Sequence[Sequence[Supply]]) -> list[Hint]:
    """Cost of the job's quantities on another model, and how its time would scale (roofline: slowest..mean)."""
    line = line_for(prices.lines, device[0].device_type, device[0].model)
    capacities = {s.dimension: s.capacity for s in device}
    rates = capability_rates(line, capacities) if line else {}
    own = {s.dimension: s.capacity for mine in current for s in mine if mine[0].device_type == device[0].device_type}
    parts = [part for part in cost.parts if part.dimension in rates and own.get(part.dimension)]
    if not parts:
        return []
    there = sum(part.used_q * rates[part.dimension] // (capacities[part.dimension] * 3_600_000) for part in parts)
    here = sum(part.used_nano for part in parts)
    factors = [own[part.dimension] / capacities[part.dimension] for part in parts]
    if there >= here:
        return []
    facts = {
        "model": device[0].model,
        "cost_nano": str(there),
        "here_nano": str(here),
        "time_factor": [round(min(factors), 3), round(max(factors), 3)],
    }
    return [Hint("cheaper_elsewhere", facts, (int((here - there) / max(1.0, *factors)), here - there))]
