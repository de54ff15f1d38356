"""Plan on a snapshot, then commit under one lock with everything re-checked by the database.

`place_waiting` is level-triggered: run it at any time, any number of times. A placement whose
job moved on or whose room is gone is recorded as `conflicted` and planned again next time.
Next: services/execution.py launches what was placed.
"""

import logging
from dataclasses import dataclass, replace

from alldata.kernel.heap import uncollected
from scheduling.crater.gang import is_whole
from scheduling.crater.kept import Memory
from scheduling.crater.model import Placement, Plan, Snapshot
from scheduling.crater.schedule import schedule
from scheduling.lifecycle import JobState
from scheduling.models import Job, PlannerInput
from scheduling.ports import PriceQuotes
from scheduling.services.bulk import commit_all, note_conflicts
from scheduling.services.preemption import make_room
from scheduling.services.recording import record_input
from scheduling.services.refusals import note_refusals
from scheduling.snapshot import cluster_now
from scheduling.standing import Standing

log = logging.getLogger(__name__)
#: What this process has worked out for the round before. It speeds up the next one and decides nothing.
MEMORY = Memory()


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did."""

    placed: int
    refused: int
    conflicted: int
    stopped: int = 0


def place_waiting(*, prices: PriceQuotes, now_ms: int) -> Round:
    """Decide on every queued job once."""
    if not Job.objects.filter(state=JobState.QUEUED, stop_requested="", ended_ms=None).exists():
        return Round(0, 0, 0)
    with uncollected():
        snapshot = cluster_now(prices=prices, now_ms=now_ms)
        standing = Standing(now_ms)
        decided = schedule(snapshot, standing, MEMORY)
        return commit(replace(snapshot, running=standing.seen), decided, now_ms=now_ms)


def commit(snapshot: Snapshot, decided: Plan, *, now_ms: int) -> Round:
    """Write a plan down: each placement stands or falls alone."""
    seen, head = record_input(snapshot), decided.head
    asked = {request.job: request for request in snapshot.queue}
    meant = [placement for placement in decided.placements if placement.job in asked]
    refused = [refusal for refusal in decided.refusals if refusal.job in asked]
    if len(meant) + len(refused) < len(decided.placements) + len(decided.refusals):
        log.error("the planner answered for jobs that nobody asked about")
    whole = [placement for placement in meant if is_whole(placement, asked[placement.job])]
    if torn := [placement for placement in meant if not is_whole(placement, asked[placement.job])]:
        log.error("the planner left out members of a gang")
        note_conflicts(torn, seen=seen, now_ms=now_ms)
    placed = commit_all(whole, seen=seen, now_ms=now_ms)
    note_refusals(refused, head, seen=seen, now_ms=now_ms)
    stopped = make_room(snapshot, head, seen=seen, now_ms=now_ms) if head and head.stops else 0
    return Round(placed, len(decided.refusals), len(decided.placements) - placed, stopped)


def commit_or_note(placement: Placement, *, seen: PlannerInput, now_ms: int) -> bool:
    """Commit one placement; False when the job has moved on or its room is gone, which is recorded."""
    return commit_all([placement], seen=seen, now_ms=now_ms) == 1
