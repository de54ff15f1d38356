"""The only reader for the core: rows in, one frozen Snapshot out.

Read in two steps: all rows, then pure translation, so the core's inputs are easy to see and
to record. A node whose agent is silent is unusable, not gone.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import F

from alldata.tenancy.selectors import team_weights
from profiles.dimensions import ADDITIVE
from scheduling.crater.forecast import COLD_START, quantiles
from scheduling.crater.model import (
    Constraint,
    Demand,
    Device,
    Near,
    Need,
    Node,
    Policy,
    Price,
    Request,
    Runtime,
    Snapshot,
)
from scheduling.lifecycle import AllocationState, AttemptState, JobState
from scheduling.models import Allocation, Attempt, DeviceCapacity, Job, ObservedMix
from scheduling.models import Device as DeviceRow
from scheduling.ports import PriceQuotes
from scheduling.standing import running_now

#: An agent sends a frame every few seconds; this much silence means we cannot see the node.
LOCAL = "local"
SILENT_AFTER_MS = 30_000
HISTORY = 50


def build_snapshot(*, prices: PriceQuotes, now_ms: int, queue: Sequence[Request] | None = None) -> Snapshot:
    """The cluster, what runs on it and the queue now (or the given requests instead of the queue)."""
    cluster = cluster_now(prices=prices, now_ms=now_ms, queue=queue)
    return replace(cluster, running=running_now(now_ms=now_ms))


def cluster_now(*, prices: PriceQuotes, now_ms: int, queue: Sequence[Request] | None = None) -> Snapshot:
    """The same without what runs, which is read when an answer depends on it (standing.py)."""
    devices = list(DeviceRow.objects.filter(retired_ms=None).select_related("node", "capacity").order_by("uuid"))
    busy = _busy_cpus()
    nodes: dict[str, list[DeviceRow]] = defaultdict(list)
    for row in devices:
        nodes[row.node.name].append(row)
    return Snapshot(
        now_ms=now_ms,
        nodes=tuple(_node(rows, busy, now_ms) for _, rows in sorted(nodes.items())),
        queue=tuple(waiting_requests() if queue is None else queue),
        prices=tuple(
            Price(rate.device, rate.dimension, rate.nano_per_hour)
            for rate in prices.rates([row.uuid for row in devices])
        ),
        currency=prices.currency(),
        mix=observed_mix(),
        weights=team_weights(),
    )


def observed_mix() -> tuple[Demand, ...]:
    """What was asked for lately, priced by services/mix.py; () before anything was."""
    body = ObservedMix.objects.order_by("-at_ms").values_list("body", flat=True).first() or ()
    return tuple(Demand(needs_of(shape["needs"]), shape["weight"], shape["micro"]) for shape in body)


def _busy_cpus() -> Mapping[str, frozenset[int]]:
    """Core numbers that live claims hold, per device."""
    held: dict[str, set[int]] = defaultdict(set)
    claims = Allocation.objects.exclude(state=AllocationState.RELEASED).exclude(cpus=[])
    for uuid, cpus in claims.values_list("device__uuid", "cpus"):
        held[uuid].update(cpus)
    return {uuid: frozenset(cpus) for uuid, cpus in held.items()}


def _node(rows: list[DeviceRow], busy: Mapping[str, frozenset[int]], now_ms: int) -> Node:
    row = rows[0].node
    silent = now_ms - row.seen_ms > SILENT_AFTER_MS
    played = row.simulated and row.engine == LOCAL  # a recording has no cores: the job would run somewhere else
    reason = "recorded" if played else "draining" if row.draining else "agent_silent" if silent else None
    return Node(
        name=row.name,
        devices=tuple(_device(device, busy.get(device.uuid, frozenset())) for device in rows),
        usable=reason is None,
        unusable_reason=reason,
        simulated=row.simulated,
    )


def _device(row: DeviceRow, busy: frozenset[int]) -> Device:
    capacity, free = _amounts(row.capacity)
    reason = (
        "overcommitted" if row.capacity.overcommitted else None if row.healthy else row.degraded_reason or "unhealthy"
    )
    return Device(
        uuid=row.uuid,
        type=row.type,
        numa_node=row.numa_node,
        parent=row.parent,
        capacity=capacity,
        free=free,
        attributes={**row.attributes, "vendor": row.vendor, "model": row.model},
        usable=reason is None,
        unusable_reason=reason,
        cpus=tuple(cpu for cpu in sorted(row.cpus) if cpu not in busy),
    )


def _amounts(row: DeviceCapacity) -> tuple[dict[str, int], dict[str, int]]:
    """Known capacities and what is left of them; unknown ones are absent."""
    capacity, free = {}, {}
    for name in ADDITIVE:
        value = getattr(row, f"capacity_{name}")
        if value is not None:
            capacity[name] = value
            free[name] = max(0, value - getattr(row, f"reserved_{name}"))
    return capacity, free


def waiting_requests() -> list[Request]:
    """The queue as the core sees it."""
    rows = list(
        Job.objects.filter(state=JobState.QUEUED, stop_requested="")
        .select_related("project")
        .order_by("submitted_ms", "id")
    )
    lost = _lost_on([row.pk for row in rows])
    known: Forecasts = {}
    return [request_of(row, avoid=lost.get(row.pk, ()), known=known) for row in rows]


def _lost_on(job_ids: Sequence[Any]) -> Mapping[Any, tuple[str, ...]]:
    """Nodes on which earlier attempts were lost: tried again only if nothing else fits."""
    found: dict[Any, tuple[str, ...]] = defaultdict(tuple)
    rows = Attempt.objects.filter(job_id__in=job_ids, state=AttemptState.LOST)
    for job_id, node in rows.values_list("job_id", "node__name"):
        found[job_id] += (node,)
    return found


Forecasts = dict[tuple[UUID, str, str, str], Runtime]  # organisation, profile digest, mode, entry digest


def request_of(job: Job, *, avoid: tuple[str, ...] = (), known: Forecasts | None = None) -> Request:
    """One job as the core sees it; `known` shares the forecasts of equal code among many jobs."""
    demand, forecasts = job.demand, {} if known is None else known
    key = (job.organisation_id, job.profile_digest, job.mode, job.entry_digest)
    if key not in forecasts:
        forecasts[key] = runtime_of(job)
    return Request(
        job=str(job.pk),
        needs=needs_of(demand["needs"]),
        submitted_ms=job.submitted_ms,
        team=str(job.project.team_id),
        policy=Policy(job.policy),
        priority=job.priority,
        same=demand["same"],
        allow_cross_numa=demand["allow_cross_numa"],
        deadline_ms=job.deadline_ms,
        cap_nano=job.cap_nano,
        runtime=_within(forecasts[key], job.timeout_ms),
        avoid_nodes=avoid,
        near=near_of(demand),
        is_spread=demand.get("spread") == "device",
        owed=job.room_since_ms is not None,
        grace_ms=job.grace_ms,
    )


def _within(runtime: Runtime, limit_ms: int) -> Runtime:
    """Nothing runs longer than its own limit: the engine ends it then."""
    if runtime.p90_ms <= limit_ms:
        return runtime
    return replace(runtime, p50_ms=min(runtime.p50_ms, limit_ms), p90_ms=limit_ms)


def needs_of(needs: Iterable[Mapping[str, Any]]) -> tuple[Need, ...]:
    """Stored needs (JSON) as the core's own values."""
    return tuple(
        Need(
            type=need["type"],
            count=need["count"],
            constraints=tuple(
                Constraint(
                    c["attribute"],
                    c["op"],
                    tuple(c["value"]) if isinstance(c["value"], list) else c["value"],
                )
                for c in need["constraints"]
            ),
            amounts=dict(need["amounts"]),
            shares=dict(need["shares"]),
            component=need.get("component", ""),
        )
        for need in needs
    )


def near_of(demand: Mapping[str, Any]) -> tuple[Near, ...]:
    """The components that choose their own subtree."""
    stated = sorted(demand.get("components", {}).items())
    return tuple(Near(name, wish["same"], wish["allow_cross_numa"]) for name, wish in stated)


def runtime_of(job: Job) -> Runtime:
    """Forecast from earlier successes of the same code and profile; a stated guess without any."""
    past = Attempt.objects.filter(
        job__organisation_id=job.organisation_id,  # what others ran is never told, not even by a forecast
        job__profile_digest=job.profile_digest,
        job__mode=job.mode,
        job__entry_digest=job.entry_digest,
        state=AttemptState.SUCCEEDED,
        started_ms__isnull=False,
        ended_ms__isnull=False,
    ).order_by("-ended_ms")
    spans = past.annotate(ran_ms=F("ended_ms") - F("started_ms")).values_list("ran_ms", flat=True)
    return quantiles(list(spans[:HISTORY])) or COLD_START
