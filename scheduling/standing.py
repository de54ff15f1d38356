"""What stands on the cluster now: live attempts, room that is still given back, and until when.

`snapshot.py` adds this to what the core sees. All instants are stored ones or steps away from them,
so a round on an unchanged cluster sees equal values and records nothing new. A bound that has been
overrun doubles until it lies ahead: what ran twice as long as expected may well run twice as long
again. The job's own time limit is never exceeded, because the engine enforces it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from scheduling.crater.model import Pick, Policy, Request, Running
from scheduling.lifecycle import ATTEMPT_ENDS, PREEMPTED, STOP_GRACE_MS, AllocationState, AttemptState
from scheduling.models import Allocation, Attempt

LIVE = (
    "job_id", "job__project__team_id", "job__policy", "job__priority", "job__deadline_ms", "job__submitted_ms",
    "job__timeout_ms", "job__grace_ms", "job__stop_requested", "job__preemptible", "job__preemptions",
    "node__name", "state", "created_ms", "started_ms", "ended_ms", "stop_sent_ms", "progress",
    "placement__picks", "placement__predicted_p90_ms", "job__hold__until_ms", "job__hold__used_ms",
)  # fmt: skip
CLAIM = (
    "attempt_id", "attempt__node__name", "attempt__job__project__team_id", "attempt__created_ms",
    "device__uuid", "device__type", "device__numa_node", "dimension", "amount", "cpus", "release_due_ms",
)  # fmt: skip
Row = Mapping[str, Any]


def running_now(*, now_ms: int) -> tuple[Running, ...]:
    """Everything that holds room and will give it back, by job; ended attempts by their own id."""
    live = Attempt.objects.exclude(state__in=ATTEMPT_ENDS).order_by("job_id").values(*LIVE)
    return (*(_running(row, now_ms) for row in live), *_giving_back())


def _running(row: Row, now_ms: int) -> Running:
    started_ms = row["started_ms"] or row["created_ms"]
    saved_ms = row["progress"].get("saved_ms") if row["job__preemptible"] else None
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
        picks=tuple(pick_of(pick) for pick in row["placement__picks"]),
        started_ms=started_ms,
        ends_ms=_gone_by(row, started_ms) if leaving else bound_ms(row, started_ms, now_ms) + row["job__grace_ms"],
        saved_ms=max(started_ms, saved_ms or 0),
        preemptible=row["job__preemptible"] and not leaving and not is_held,
        preempted=row["job__preemptions"],
        leaving=leaving,
    )


def bound_ms(row: Row, started_ms: int, now_ms: int) -> int:
    """When it will have ended at the latest, as far as forecast and limit say; a held place, when it expires."""
    if row["job__hold__until_ms"] is not None and row["job__hold__used_ms"] is None:
        return int(row["job__hold__until_ms"])
    limit_ms: int = started_ms + row["job__timeout_ms"]
    lasts_ms: int | None = row["placement__predicted_p90_ms"]
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
    rows = Allocation.objects.filter(state=AllocationState.RELEASING).order_by("attempt_id", "id")
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
