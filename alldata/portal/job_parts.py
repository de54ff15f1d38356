"""The parts of the job page, computed: promise, placement, spend, limit, timeline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from alldata.portal.timeline import Axis, Lane, axis_of, expected, lane
from alldata.tenancy.viewer import Viewer
from monitoring.selectors.usage import JobSeries, Series, latest_smooth, series_of_job, smoothing_of
from scheduling.selectors.answers import AttemptView, DeviceView, JobView
from scheduling.selectors.inventory import devices

RECENT_MS = 60_000
#: A capability that the job did not ask for gets a lane from this share of the device on.
NOTICEABLE = 0.01


@dataclass(frozen=True, slots=True)
class Promise:
    """What was promised at submit, and the forecast now."""

    finish_ms: int | None
    slow_finish_ms: int | None
    on_time: float | None
    cost_nano: int | None
    predicted_ms: int | None
    source: str


def promise_of(view: JobView, *, now_ms: int) -> Promise:
    """The forecast from the placement once there is one, else the promise made at submit."""
    row, said = view.row, view.row.promise
    is_held = row.reason == "reserved"  # a place without work promises nothing
    attempt = view.latest[0] if view.latest and not is_held else None
    placed = attempt.placement if attempt else {}
    predicted = placed.get("predicted_ms") or said.get("predicted_ms")
    start = (attempt.started_ms or attempt.created_ms) if attempt else None
    finish = start + predicted if start and predicted else said.get("finish_ms")
    slow = placed.get("predicted_p90_ms")
    return Promise(
        finish_ms=max(finish, now_ms) if finish and not row.is_over else finish,
        slow_finish_ms=max(start + slow, now_ms) if start and slow else None,
        on_time=placed.get("on_time", said.get("on_time")),
        cost_nano=said.get("cost_nano"),
        predicted_ms=predicted,
        source=said.get("forecast_source", ""),
    )


def placements_of(viewer: Viewer, attempts: Sequence[AttemptView]) -> list[dict[str, Any]]:
    """Where it runs, or each member of it: every picked device with what is taken of what it has."""
    known = {device.uuid: device for device in devices(viewer)} if attempts else {}
    return [_placement_of(attempt, known) for attempt in attempts]


def _placement_of(attempt: AttemptView, known: Mapping[str, DeviceView]) -> dict[str, Any]:
    picks = _picks(attempt.placement, known)
    return {
        "attempt": attempt,
        "gpus": sum(pick["type"] == "gpu" for pick in picks),
        "node": attempt.node,
        "picks": picks,
        "numa": sorted({p["numa_node"] for p in picks if p.get("numa_node") is not None}),
        "limits": attempt.limits,
    }


def picks_of(viewer: Viewer, placement: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each picked device with its name, cores, and (capability, taken, capacity) rows."""
    return _picks(placement, {device.uuid: device for device in devices(viewer)})


def _picks(placement: Mapping[str, Any], known: Mapping[str, DeviceView]) -> list[dict[str, Any]]:
    picks = []
    for pick in placement.get("picks", []):
        device = known.get(pick["device"])
        capacity = {d.name: d.capacity for d in device.dimensions} if device else {}
        cores = device.cpus if device else ()
        picks.append(
            {
                **pick,
                "name": device.name if device else pick["device"],
                "rows": [(name, amount, capacity.get(name)) for name, amount in pick["amounts"].items()],
                "cores": [(cpu, cpu in pick.get("cpus", ())) for cpu in cores] if len(cores) <= 64 else [],
            }
        )
    return picks


def limit_of(viewer: Viewer, view: JobView, *, now_ms: int) -> Lane | None:
    """The capability closest to what the job may use of it, over the last minute."""
    row = view.row
    if row.started_ms is None:
        return None
    since = max(row.started_ms, (row.ended_ms or now_ms) - RECENT_MS)
    usage = series_of_job(viewer, row.reference, span=(since, None), now_ms=now_ms)
    lanes = _lanes(viewer, view, usage, Axis(since, max(now_ms, since + 1000)))
    known = [found for found in lanes if found.share is not None and found.capability in _held(view)]
    return max(known, key=lambda found: found.share or 0.0, default=None)


def _held(view: JobView) -> Mapping[str, int]:
    """What the latest attempt holds, summed by capability; of a gang its first member."""
    held: dict[str, int] = {}
    picks = view.latest[0].placement.get("picks", []) if view.latest else []
    for pick in picks:
        for name, amount in pick["amounts"].items():
            held[name] = held.get(name, 0) + amount
    return held


def _lanes(viewer: Viewer, view: JobView, usage: JobSeries, axis: Axis) -> list[Lane]:
    held = _held(view)
    latest = view.latest[0].id if view.latest else None
    mine = [s for s in usage.series if s.attempt_id == latest]
    here = devices(viewer, uuids={s.device for s in mine})
    capacity = {(d.uuid, c.name): c.capacity for d in here for c in d.dimensions}
    row = view.row
    ran = (row.started_ms or row.submitted_ms, row.ended_ms or usage.end_ms)
    wholes = [held.get(s.capability) or capacity.get((s.device, s.capability)) for s in mine]
    return [_calm(lane(s, axis, whole=w, ran=ran), s, usage.mode) for s, w in zip(mine, wholes, strict=True)]


def _calm(drawn: Lane, series: Series, mode: str) -> Lane:
    """The lane with its latest value as the mode smooths it; the drawing keeps every window."""
    rule = smoothing_of(series, mode)
    return replace(drawn, calm=latest_smooth(series, rule), calm_ms=rule.window_ms) if drawn.count else drawn


def _shown(lanes: list[Lane], view: JobView) -> list[Lane]:
    """What the job asked for keeps its lane from the start; the rest appears once it matters."""
    found = {drawn.capability: drawn for drawn in lanes}
    asked = {name: amount for need in view.demand.get("needs", []) for name, amount in need["amounts"].items()}
    waits = [] if view.row.is_over else [expected(name, asked[name]) for name in asked if name not in found]
    shown = [drawn for drawn in lanes if drawn.capability in asked or (drawn.share or 0) >= NOTICEABLE]
    order = {name: index for index, name in enumerate(asked)}
    return sorted([*shown, *waits], key=lambda drawn: order.get(drawn.capability, len(order)))


def timeline_of(viewer: Viewer, view: JobView, usage: JobSeries, *, now_ms: int) -> dict[str, Any]:
    """One axis for events, lanes, forecast and deadline."""
    row = view.row
    promise = promise_of(view, now_ms=now_ms)
    start = row.submitted_ms
    axis = axis_of(start, now_ms, ended_ms=row.ended_ms, finish_ms=promise.finish_ms, deadline_ms=row.deadline_ms)
    finish = promise.finish_ms if not row.is_over else None
    events = [(axis.at(e.at_ms), e) for e in view.events if axis.holds(e.at_ms)]
    every = _lanes(viewer, view, usage, axis)
    lanes = _shown(every, view)
    return {
        "axis": axis,
        "ticks": axis.ticks(),
        "events": events,
        "lanes": list(enumerate(lanes)),
        "every": every,
        "height": 56 + 40 * len(lanes),
        "now": None if row.is_over else axis.at(now_ms),
        "until": axis.at(row.ended_ms or now_ms),
        "finish": axis.at(finish) if finish and axis.holds(finish) else None,
        "deadline": axis.at(row.deadline_ms) if row.deadline_ms and axis.holds(row.deadline_ms) else None,
    }
