"""What stands on the cluster now: live attempts, room that is still given back, and until when.

The core asks for this when a job is blocked (crater/schedule.py). All instants are stored ones or steps away from them,
so a round on an unchanged cluster sees equal values and records nothing new. A bound that has been
overrun doubles until it lies ahead: what ran twice as long as expected may well run twice as long
again. The job's own time limit is never exceeded, because the engine enforces it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.fields.json import KeyTransform

from scheduling.crater.model import Pick, Policy, Request, Running
from scheduling.lifecycle import PREEMPTED, STOP_GRACE_MS, AllocationState, AttemptState
from scheduling.models import IS_LIVE, Allocation, Attempt
from scheduling.selectors.placements import with_placement

LIVE = (
    "id", "job_id", "job__project__team_id", "job__policy", "job__priority", "job__deadline_ms", "job__submitted_ms",
    "job__timeout_ms", "job__grace_ms", "job__stop_requested", "job__preemptible", "job__preemptions",
    "node__name", "state", "created_ms", "started_ms", "ended_ms", "stop_sent_ms",
    "job__hold__until_ms", "job__hold__used_ms", "member", "members",
)  # fmt: skip
CLAIM = (
    "attempt_id", "attempt__node__name", "attempt__job__project__team_id", "attempt__created_ms",
    "device__uuid", "device__type", "device__numa_node", "dimension", "amount", "cpus", "release_due_ms",
)  # fmt: skip
SAID = (KeyTransform("picks", "placed"), KeyTransform("predicted_p90_ms", "placed"))
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an attempt was put and how long it was thought to last; once launched it never changes."""

    picks: tuple[Pick, ...]
    lasts_ms: int | None


class Standing:
    """What runs, read when it is asked for; `seen` is what was read then, () when nobody asked."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self.seen: tuple[Running, ...] = ()

    def __call__(self) -> tuple[Running, ...]:
        self.seen = running_now(now_ms=self.now_ms)
        return self.seen


def running_now(*, now_ms: int) -> tuple[Running, ...]:
    """Everything that holds room and will give it back, by job; ended attempts by their own id."""
    live = Attempt.objects.filter(IS_LIVE)
    rows = list(live.order_by("job_id", "member").values(*LIVE))
    places = _places(rows)
    saved = dict(live.filter(job__preemptible=True).values_list("id", "progress__saved_ms"))
    return (*(_running(row, places[row["id"]], saved.get(row["id"]), now_ms) for row in rows), *_giving_back())


#: Places of launched attempts that were read before: rounds see the same ones again and again.
_KNOWN: dict[UUID, Place] = {}
MOST_KNOWN = 50_000


def _places(rows: Sequence[Row]) -> Mapping[UUID, Place]:
    if len(_KNOWN) + len(rows) > MOST_KNOWN:
        _KNOWN.clear()
    unknown = [row["id"] for row in rows if row["id"] not in _KNOWN]
    stored = with_placement(Attempt.objects.filter(pk__in=unknown)).values_list("id", *SAID)
    fresh = {key: Place(tuple(pick_of(pick) for pick in picks), lasts_ms) for key, picks, lasts_ms in stored}
    launched = {row["id"] for row in rows if row["state"] != AttemptState.PLACING}
    _KNOWN.update({key: place for key, place in fresh.items() if key in launched})
    return _KNOWN | fresh


def _running(row: Row, place: Place, saved_ms: int | None, now_ms: int) -> Running:
    started_ms = row["started_ms"] or row["created_ms"]
    leaving = bool(row["job__stop_requested"]) or row["state"] == AttemptState.FINISHING
    is_held = row["job__hold__until_ms"] is not None and row["job__hold__used_ms"] is None
    request = Request(
        job=str(row["job_id"]),
        needs=(),
        submitted_ms=row["job__submitted_ms"],
        team=str(row["job__project__team_id"]),
        policy=Policy(row["job__policy"]),
        priority=row["job__priority"],
        deadline_ms=row["job__deadline_ms"],
    )
    return Running(
        request=request,
        node=row["node__name"],
        picks=place.picks,
        started_ms=started_ms,
        ends_ms=_gone_by(row, started_ms) if leaving else _back_by(row, started_ms, place.lasts_ms, now_ms),
        saved_ms=max(started_ms, saved_ms or 0),
        preemptible=row["job__preemptible"] and not leaving and not is_held,
        preempted=row["job__preemptions"],
        leaving=leaving,
        member=row["member"] if row["members"] > 1 else None,
    )


def _back_by(row: Row, started_ms: int, lasts_ms: int | None, now_ms: int) -> int:
    """When its room is back at the latest; a held place expires."""
    if row["job__hold__until_ms"] is not None and row["job__hold__used_ms"] is None:
        return int(row["job__hold__until_ms"])
    limit_ms: int = started_ms + row["job__timeout_ms"]
    warm_ms: int = row["job__grace_ms"]
    return bound_ms(started_ms, lasts_ms, limit_ms, now_ms) + warm_ms


def bound_ms(started_ms: int, lasts_ms: int | None, limit_ms: int, now_ms: int) -> int:
    """When it will have ended at the latest, as far as its forecast and its limit say."""
    if not lasts_ms:
        return limit_ms
    while started_ms + lasts_ms <= min(now_ms, limit_ms):
        lasts_ms *= 2
    return min(started_ms + lasts_ms, limit_ms)


def _gone_by(row: Row, started_ms: int) -> int:
    """A stopped one is killed after the engine's grace; then its units stay warm, except for a preemptor."""
    ended_ms: int | None = row["ended_ms"]
    if ended_ms is None:
        ended_ms = row["stop_sent_ms"] + STOP_GRACE_MS if row["stop_sent_ms"] else started_ms
    warm_ms: int = 0 if row["job__stop_requested"] == PREEMPTED else row["job__grace_ms"]
    return ended_ms + warm_ms


def pick_of(pick: Row) -> Pick:
    """A pick as it was stored."""
    return Pick(pick["device"], pick["type"], pick["amounts"], tuple(pick["cpus"]), pick["numa_node"])


def _giving_back() -> list[Running]:
    """Claims of ended attempts in their grace period."""
    claims: dict[UUID, list[Row]] = defaultdict(list)
    rows = Allocation.objects.filter(state=AllocationState.RELEASING).order_by("attempt_id", "device_id", "dimension")
    for row in rows.values(*CLAIM):
        claims[row["attempt_id"]].append(row)
    return [_left_over(str(attempt), rows) for attempt, rows in claims.items()]


def _left_over(attempt: str, rows: Sequence[Row]) -> Running:
    first, due_ms = rows[0], max(row["release_due_ms"] for row in rows)
    created_ms = first["attempt__created_ms"]
    request = Request(attempt, (), created_ms, team=str(first["attempt__job__project__team_id"]))
    picks = tuple(
        Pick(
            row["device__uuid"],
            row["device__type"],
            {row["dimension"]: row["amount"]},
            tuple(row["cpus"]),
            row["device__numa_node"],
        )
        for row in rows
    )
    node = first["attempt__node__name"]
    return Running(request, node, picks, created_ms, due_ms, created_ms, preemptible=False, leaving=True)
