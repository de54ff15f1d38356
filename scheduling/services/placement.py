"""Plan on a snapshot, then commit under one lock with everything re-checked by the database.

`place_waiting` is level-triggered: run it at any time, any number of times. A placement whose
job moved on or whose room is gone is recorded as `conflicted` and planned again next time.
Next: services/execution.py launches what was placed.
"""

import logging
from dataclasses import dataclass

from scheduling.crater.model import Plan, Snapshot
from scheduling.crater.plan import plan
from scheduling.lifecycle import JobState
from scheduling.models import Job
from scheduling.ports import PriceQuotes
from scheduling.services.bulk import commit_all
from scheduling.services.recording import record_input
from scheduling.services.refusals import note_refusals
from scheduling.snapshot import build_snapshot

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did."""

    placed: int
    refused: int
    conflicted: int


def place_waiting(*, prices: PriceQuotes, now_ms: int) -> Round:
    """Decide on every queued job once."""
    if not Job.objects.filter(state=JobState.QUEUED, stop_requested="").exists():
        return Round(0, 0, 0)
    snapshot = build_snapshot(prices=prices, now_ms=now_ms)
    return commit(snapshot, plan(snapshot), now_ms=now_ms)


def commit(snapshot: Snapshot, decided: Plan, *, now_ms: int) -> Round:
    """Write a plan down: each placement stands or falls alone."""
    seen = record_input(snapshot)
    asked = {request.job for request in snapshot.queue}
    meant = [placement for placement in decided.placements if placement.job in asked]
    if len(meant) < len(decided.placements):
        log.error("the planner placed jobs that nobody asked for")
    placed = commit_all(meant, seen=seen, now_ms=now_ms)
    note_refusals([refusal for refusal in decided.refusals if refusal.job in asked], seen=seen, now_ms=now_ms)
    return Round(placed, len(decided.refusals), len(decided.placements) - placed)
