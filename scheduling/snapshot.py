"""The only reader for the core: rows in, one frozen Snapshot out.

Read in two steps: all rows, then pure translation, so the core's inputs are easy to see and
to record. A node whose agent is silent is unusable, not gone.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Case, Q, TextField, Value, When
from django.db.models.functions import Cast

from alldata.tenancy.selectors import team_weights
from scheduling.crater.forecast import COLD_START, quantiles
from scheduling.crater.model import Constraint, Demand, Near, Need, Policy, Request, Runtime, Snapshot
from scheduling.lifecycle import AttemptState, JobState
from scheduling.models import Attempt, Job, ObservedMix
from scheduling.ports import PriceQuotes
from scheduling.selectors.rates import prices_of
from scheduling.selectors.supply import nodes_now
from scheduling.standing import running_now

HISTORY = 50
#: Jobs looked at in one round; with more in the queue the others wait for a later one.
WINDOW = 10_000
URGENT = 1_000
COLUMNS = (
    *("id", "organisation_id", "profile_digest", "mode", "entry_digest", "submitted_ms", "policy", "priority"),
    *("deadline_ms", "cap_nano", "project_id", "timeout_ms", "grace_ms", "room_since_ms"),
)
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
    body = ObservedMix.objects.order_by("-at_ms").values_list("body", flat=True).first() or ()
    return tuple(Demand(needs_of(shape["needs"]), shape["weight"], shape["micro"]) for shape in body)


def waiting_requests() -> list[Request]:
    """The queue as the core sees it, oldest first: all of it, or the part that is looked at this time.

    Of a longer queue: jobs that others made room for, high priorities and old jobs first, jobs that no machine
    here could ever run last, and always those whose deadlines are nearest. Memory is bounded, whatever the queue.
    """
    queued = Job.objects.filter(state=JobState.QUEUED, stop_requested="", ended_ms=None)
    hopeless = Case(When(reason_facts__possible=False, then=Value(1)), default=Value(0))
    waits = Case(When(room_since_ms=None, then=Value(1)), default=Value(0))
    first = queued.order_by(waits, hopeless, "-priority", "submitted_ms", "id").values("pk")[:WINDOW]
    urgent = queued.exclude(deadline_ms=None).order_by("deadline_ms", "id").values("pk")[:URGENT]
    looked_at = Job.objects.filter(Q(pk__in=first) | Q(pk__in=urgent)).order_by("submitted_ms", "id")
    read = looked_at.prefetch_related("project").only(*COLUMNS).annotate(asks=Cast("demand", TextField()))
    rows = list(read)
    lost, known = _lost_on([row.pk for row in rows]), _forecasts(rows)
    return [request_of(row, avoid=lost.get(row.pk, ()), known=known, asks=_asks(row.asks)) for row in rows]


def _lost_on(job_ids: Sequence[Any]) -> Mapping[Any, tuple[str, ...]]:
    """Nodes on which earlier attempts were lost: tried again only if nothing else fits."""
    found: dict[Any, tuple[str, ...]] = defaultdict(tuple)
    rows = Attempt.objects.filter(job_id__in=job_ids, state=AttemptState.LOST)
    for job_id, node in rows.values_list("job_id", "node__name"):
        found[job_id] += (node,)
    return found


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


Code = tuple[UUID, str, str, str]  # organisation, profile digest, mode, entry digest
Forecasts = dict[Code, Runtime]


def request_of(
    job: Job, *, avoid: tuple[str, ...] = (), known: Forecasts | None = None, asks: Asks | None = None
) -> Request:
    """One job as the core sees it; `known` shares the forecasts and `asks` the parsed demand where there are many."""
    wanted = asks or _asks(json.dumps(job.demand))
    forecasts: Forecasts = {} if known is None else known
    if (code := _code(job)) not in forecasts:
        forecasts.update(_forecasts([job]))
    return Request(
        job=str(job.pk),
        needs=wanted.needs,
        submitted_ms=job.submitted_ms,
        team=str(job.project.team_id),
        policy=Policy(job.policy),
        priority=job.priority,
        same=wanted.same,
        allow_cross_numa=wanted.allow_cross_numa,
        deadline_ms=job.deadline_ms,
        cap_nano=job.cap_nano,
        runtime=_within(forecasts[code], job.timeout_ms),
        avoid_nodes=avoid,
        near=wanted.near,
        is_spread=wanted.is_spread,
        is_apart=wanted.is_apart,
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


def _code(job: Job) -> Code:
    return job.organisation_id, job.profile_digest, job.mode, job.entry_digest


def _forecasts(jobs: Sequence[Job]) -> Forecasts:
    """Forecasts from earlier successes of the same code and profile, all in one query; a stated guess without any."""
    codes = list({_code(job) for job in jobs})
    columns = [list(column) for column in zip(*codes, strict=True)] if codes else [[], [], [], []]
    words: list[Any] = [AttemptState.SUCCEEDED.value, HISTORY, [str(key) for key in columns[0]], *columns[1:]]
    with connection.cursor() as cursor:
        cursor.execute(SPANS, words)
        return {codes[place - 1]: quantiles(spans) or COLD_START for place, spans in cursor.fetchall()}
