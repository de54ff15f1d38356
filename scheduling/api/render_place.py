"""A place as JSON, with everything SPEC B1 names: node, GPUs, NUMA nodes, memory pools, drives, amounts, forecast."""

from collections.abc import Iterable, Mapping
from typing import Any

from profiles.dimensions import BY_NAME
from scheduling.api.render import money, precheck
from scheduling.selectors.answers import DeviceView, HoldView
from scheduling.services.answer import PreCheck

Devices = Mapping[str, DeviceView]


def schedule(answer: PreCheck, devices: Devices) -> dict[str, Any]:
    """The whole answer: `place` where it fits now, `forecast` with quantiles, else the refusal with its ways out."""
    shown = precheck(answer)
    placement = answer.placement
    return shown | {
        "place": place(placement, devices) if placement else None,
        "score": placement["score"] if placement else [],
        "forecast": _forecast(answer),
    }


def place(placement: Mapping[str, Any], devices: Devices) -> dict[str, Any]:
    """Which devices, and how much of each capability with its unit; of a gang also member by member."""
    picks = placement["picks"]
    members = placement.get("members", ())
    return {
        "node": placement["node"],
        "members": [
            {"member": part["member"], "component": part["component"], **place(part, devices)} for part in members
        ],
        "gpu_uuids": _of_type(picks, "gpu"),
        "numa_nodes": sorted({pick["numa_node"] for pick in picks} - {None}),
        "memory_pools": _of_type(picks, "memory"),
        "nvme": [{"device": uuid, "path": _path(devices[uuid])} for uuid in _of_type(picks, "storage")],
        "cpus": sorted(cpu for pick in picks for cpu in pick["cpus"]),
        "amounts": [
            _amount(pick, name, amount, devices[pick["device"]])
            for pick in picks
            for name, amount in pick["amounts"].items()
        ],
        "candidates": placement["candidates"],
    }


def hold(view: HoldView, devices: Devices) -> dict[str, Any]:
    """A reservation: start a job on it with `{"reservation": id, ...}` at POST /api/v1/jobs."""
    return {
        "id": str(view.id),
        "job": view.job,
        "project_id": str(view.project_id),
        "state": view.state,
        "created_ms": view.created_ms,
        "expires_ms": view.expires_ms,
        "used_ms": view.used_ms,
        "place": place(view.placement, devices) if view.placement else None,
    }


def _forecast(answer: PreCheck) -> dict[str, Any]:
    """Start, duration, finish and cost, each with its median and its 90 % quantile; null where nothing can be told."""
    return {
        "starts_in_ms": _quantiles(answer.starts_in_ms, answer.starts_in_p90_ms),
        "duration_ms": _quantiles(answer.predicted_ms, answer.p90_ms),
        "finish_ms": _quantiles(answer.finish_ms, answer.finish_p90_ms),
        "cost": {
            "p50": money(answer.cost_nano, answer.currency),
            "p90": money(answer.cost_high_nano, answer.currency),
        },
        "on_time": answer.on_time,
        "calibrated": answer.calibrated,
        "source": answer.forecast_source,
        "runs": answer.runs,
    }


def _quantiles(median: int | None, slow: int | None) -> dict[str, int | None]:
    return {"p50": median, "p90": slow}


def _of_type(picks: Iterable[Mapping[str, Any]], kind: str) -> list[str]:
    return list(dict.fromkeys(pick["device"] for pick in picks if pick["type"] == kind))


def _path(device: DeviceView) -> str | None:
    """The block device; what an agent calls by no kernel name has none."""
    return f"/dev/{device.name}" if device.name and "/" not in device.name and " " not in device.name else None


def _amount(pick: Mapping[str, Any], name: str, amount: int, device: DeviceView) -> dict[str, Any]:
    capacity = next((d.capacity for d in device.dimensions if d.name == name), None)
    dimension = BY_NAME[name]
    return {
        "device": pick["device"],
        "type": pick["type"],
        "dimension": name,
        "amount": amount,
        "unit": dimension.unit,
        "shown": dimension.show(amount),
        "capacity": capacity,
        "share": round(amount / capacity, 6) if capacity else None,
    }
