"""The only reader for the core: rows in, one frozen Snapshot out.

Read in two steps: all rows, then pure translation, so the core's inputs are easy to see and
to record. A node whose agent is silent is unusable, not gone.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import TextField
from django.db.models.functions import Cast

from alldata.tenancy.selectors import team_weights
from scheduling.crater.forecast import COLD_START, quantiles
from scheduling.crater.model import Constraint, Demand, Near, Need, Policy, Request, Runtime, Snapshot
from scheduling.lifecycle import AttemptState
from scheduling.models import Job, ObservedMix
from scheduling.ports import PriceQuotes
from scheduling.selectors.queued import Queued, looked_at
from scheduling.selectors.rates import prices_of
from scheduling.selectors.supply import nodes_now
from scheduling.standing import running_now

HISTORY = 50
#: Jobs looked at in one round; with more in the queue the others wait for a later one.
WINDOW = 10_000
URGENT = 1_000
#: How long the latest successes of each code ran, in this organisation: what others ran is told to nobody. Of a gang
#: its first member is asked.
SPANS = """
SELECT place, ARRAY(
  SELECT attempt.ended_ms - attempt.started_ms FROM scheduling_attempt AS attempt
  JOIN scheduling_job AS job ON job.id = attempt.job_id
  WHERE job.organisation_id = code.organisation AND job.profile_digest = code.profile AND job.mode = code.mode
    AND job.entry_digest = code.entry AND attempt.state = %s AND attempt.ended_ms >= attempt.started_ms
    AND attempt.member = 0 AND (attempt.members = 1 OR job.state = 'succeeded')
  ORDER BY attempt.ended_ms DESC LIMIT %s)
FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::text[]) WITH ORDINALITY
  AS code (organisation, profile, mode, entry, place)"""


def build_snapshot(*, prices: PriceQuotes, now_ms: int, queue: Sequence[Request] | None = None) -> Snapshot:
    """The cluster, what runs on it and the queue now (or the given requests instead of the queue)."""
    cluster = cluster_now(prices=prices, now_ms=now_ms, queue=queue)
    return replace(cluster, running=running_now(now_ms=now_ms))


def cluster_now(*, prices: PriceQuotes, now_ms: int, queue: Sequence[Request] | None = None) -> Snapshot:
    """The same without what runs, which is read when an answer depends on it (standing.py)."""
    nodes = nodes_now(now_ms=now_ms)
    return Snapshot(
        now_ms=now_ms,
        nodes=nodes,
        queue=tuple(waiting_requests() if queue is None else queue),
        prices=prices_of(nodes, quotes=prices),
        currency=prices.currency(),
        mix=observed_mix(),
        weights=team_weights(),
    )


def observed_mix() -> tuple[Demand, ...]:
    """What was asked for lately, priced by services/mix.py; () before anything was."""
    newest = ObservedMix.objects.order_by("-at_ms").annotate(text=Cast("body", TextField()))
    return _mix(newest.values_list("text", flat=True).first() or "[]")


@lru_cache(maxsize=2)
def _mix(text: str) -> tuple[Demand, ...]:
    """The same object while it stays the same."""
    return tuple(Demand(needs_of(shape["needs"]), shape["weight"], shape["micro"]) for shape in json.loads(text))


@dataclass(frozen=True, slots=True)
class _Known:
    """A job that waited before, and what its request was made of."""

    row: Queued
    runtime: Runtime
    request: Request


_waited: dict[str, _Known] = {}


def waiting_requests() -> list[Request]:
    """The queue as the core sees it, oldest first: all of it, or the part that is looked at this time.

    Memory is bounded, whatever the queue. A job that still waits as it did is the same object as before.
    """
    rows, lost = looked_at(WINDOW, URGENT)
    forecasts = _forecasts({_code(row) for row in rows})
    found = {row.job: _waiting(row, lost.get(row.job, ()), forecasts[_code(row)]) for row in rows}
    _waited.clear()
    _waited.update(found)
    return [known.request for known in found.values()]


def _waiting(row: Queued, avoid: tuple[str, ...], runtime: Runtime) -> _Known:
    known = _waited.get(row.job)
    if known is not None and known.row == row and known.runtime == runtime and known.request.avoid_nodes == avoid:
        return known
    return _Known(row, runtime, _request(row, avoid, runtime))


@dataclass(frozen=True, slots=True)
class Asks:
    """What a job's stored demand says."""

    needs: tuple[Need, ...]
    same: str
    allow_cross_numa: bool
    near: tuple[Near, ...]
    is_spread: bool
    is_apart: bool


@lru_cache(maxsize=4096)
def _asks(text: str) -> Asks:
    """Jobs that ask for the same share it; the planner works out equal needs once."""
    demand = json.loads(text)
    return Asks(
        needs=needs_of(demand["needs"]),
        same=demand["same"],
        allow_cross_numa=demand["allow_cross_numa"],
        near=near_of(demand),
        is_spread=demand.get("spread") == "device",
        is_apart=demand.get("spread") == "node",
    )


Code = tuple[str, str, str, str]  # organisation, profile digest, mode, entry digest


def request_of(job: Job) -> Request:
    """One job as the core sees it."""
    row = Queued(
        job=str(job.pk),
        organisation=str(job.organisation_id),
        profile_digest=job.profile_digest,
        mode=job.mode,
        entry_digest=job.entry_digest,
        submitted_ms=job.submitted_ms,
        policy=job.policy,
        priority=job.priority,
        deadline_ms=job.deadline_ms,
        cap_nano=job.cap_nano,
        team=str(job.project.team_id),
        timeout_ms=job.timeout_ms,
        grace_ms=job.grace_ms,
        owed=job.room_since_ms is not None,
        demand=json.dumps(job.demand),
    )
    return _request(row, (), _forecasts({_code(row)})[_code(row)])


def _request(row: Queued, avoid: tuple[str, ...], runtime: Runtime) -> Request:
    asks = _asks(row.demand)
    return Request(
        job=row.job,
        needs=asks.needs,
        submitted_ms=row.submitted_ms,
        team=row.team,
        policy=Policy(row.policy),
        priority=row.priority,
        same=asks.same,
        allow_cross_numa=asks.allow_cross_numa,
        deadline_ms=row.deadline_ms,
        cap_nano=row.cap_nano,
        runtime=_within(runtime, row.timeout_ms),
        avoid_nodes=avoid,
        near=asks.near,
        is_spread=asks.is_spread,
        is_apart=asks.is_apart,
        owed=row.owed,
        grace_ms=row.grace_ms,
    )


@lru_cache(maxsize=4096)
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


def _code(row: Queued) -> Code:
    return row.organisation, row.profile_digest, row.mode, row.entry_digest


def _forecasts(codes: Collection[Code]) -> Mapping[Code, Runtime]:
    """Forecasts from earlier successes of the same code and profile, all in one query; a stated guess without any."""
    asked = list(codes)
    columns = [list(column) for column in zip(*asked, strict=True)] if asked else [[], [], [], []]
    with connection.cursor() as cursor:
        cursor.execute(SPANS, [AttemptState.SUCCEEDED.value, HISTORY, *columns])
        return {asked[place - 1]: quantiles(spans) or COLD_START for place, spans in cursor.fetchall()}
