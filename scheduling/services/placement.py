"""Plan on a snapshot, then commit under one lock with everything re-checked by the database.

`place_waiting` is level-triggered: run it at any time, any number of times. A placement whose
job moved on or whose room is gone is recorded as `conflicted` and planned again next time.
Next: services/execution.py launches what was placed.
"""

from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import F

from scheduling.crater.model import Head, Pick, Placement, Plan, Refusal, Snapshot
from scheduling.crater.schedule import schedule
from scheduling.errors import IllegalMove
from scheduling.lifecycle import AllocationState, JobState
from scheduling.models import Allocation, Attempt, Device, DeviceCapacity, Job, Node, PlannerInput
from scheduling.models.inventory import room_for
from scheduling.ports import PriceQuotes
from scheduling.services.bulk import commit_batch
from scheduling.services.locks import LockKey, lock_in_transaction
from scheduling.services.moves import move_job
from scheduling.services.preemption import make_room
from scheduling.services.recording import as_plain, record_decision, record_input
from scheduling.services.waiting import reason_of
from scheduling.snapshot import cluster_now
from scheduling.standing import Standing

#: Placements a transaction: more saves little and holds the lock longer.
BATCH = 500


class _Conflict(Exception):
    """The world changed between plan and commit; the placement is undone and planned again."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did."""

    placed: int
    refused: int
    conflicted: int
    stopped: int = 0


def place_waiting(*, prices: PriceQuotes, now_ms: int) -> Round:
    """Decide on every queued job once."""
    if not Job.objects.filter(state=JobState.QUEUED, stop_requested="").exists():
        return Round(0, 0, 0)
    snapshot = cluster_now(prices=prices, now_ms=now_ms)
    standing = Standing(now_ms)
    decided = schedule(snapshot, standing)
    return commit(replace(snapshot, running=standing.seen), decided, now_ms=now_ms)


def commit(snapshot: Snapshot, decided: Plan, *, now_ms: int) -> Round:
    """Write a plan down: each placement stands or falls alone."""
    seen = record_input(snapshot)
    jobs = {str(job.pk): job for job in Job.objects.filter(pk__in=[r.job for r in snapshot.queue])}
    placed = 0
    for start in range(0, len(decided.placements), BATCH):
        batch = decided.placements[start : start + BATCH]
        if len(batch) > 1 and commit_batch(batch, jobs, seen=seen, now_ms=now_ms):
            placed += len(batch)
        else:
            placed += sum(commit_or_note(jobs[p.job], p, seen=seen, now_ms=now_ms) for p in batch)
    for refusal in decided.refusals:
        _note_refusal(jobs[refusal.job], (refusal, decided.head), seen=seen, now_ms=now_ms)
    head = decided.head
    stopped = make_room(snapshot, head, seen=seen, now_ms=now_ms) if head and head.stops else 0
    return Round(placed, len(decided.refusals), len(decided.placements) - placed, stopped)


def commit_or_note(job: Job, placement: Placement, *, seen: PlannerInput, now_ms: int) -> bool:
    """Commit one placement; False when the job has moved on or its room is gone, which is recorded."""
    try:
        _commit_one(job, placement, seen=seen, now_ms=now_ms)
    except (_Conflict, IllegalMove):
        record_decision(job, "conflicted", placement, seen=seen, now_ms=now_ms)
        return False
    return True


def _commit_one(job: Job, placement: Placement, *, seen: PlannerInput, now_ms: int) -> None:
    with transaction.atomic():
        lock_in_transaction(LockKey.PLANNER)
        move_job(job, JobState.ADMITTED, now_ms=now_ms)
        node = Node.objects.get(name=placement.node)
        attempt = Attempt.objects.create(
            job=job,
            project_id=job.project_id,
            ordinal=job.attempts.count() + 1,
            engine=node.engine,
            node=node,
            placement=as_plain(placement),
            created_ms=now_ms,
            changed_ms=now_ms,
        )
        for pick in placement.picks:
            _claim(attempt, pick, now_ms=now_ms)
        record_decision(job, "placed", placement, seen=seen, now_ms=now_ms)


def _claim(attempt: Attempt, pick: Pick, *, now_ms: int) -> None:
    """Reserve one pick; the database refuses what no longer fits."""
    device = Device.objects.get(uuid=pick.device)
    if pick.cpus and _held_cpus(device) & set(pick.cpus):
        raise _Conflict(pick.device)
    for dimension, amount in pick.amounts.items():
        reserved = f"reserved_{dimension}"
        room = DeviceCapacity.objects.filter(room_for(dimension, amount), device=device, overcommitted=False)
        if not room.update(**{reserved: F(reserved) + amount}):
            raise _Conflict(f"{pick.device} {dimension}")
        Allocation.objects.create(
            attempt=attempt,
            device=device,
            dimension=dimension,
            amount=amount,
            cpus=list(pick.cpus) if dimension == "cpu_millicores" else [],
            start_ms=now_ms,
        )


def _held_cpus(device: Device) -> set[int]:
    claims = Allocation.objects.filter(device=device).exclude(state=AllocationState.RELEASED)
    return {cpu for cpus in claims.values_list("cpus", flat=True) for cpu in cpus}


def _note_refusal(job: Job, why: tuple[Refusal, Head | None], *, seen: PlannerInput, now_ms: int) -> None:
    """A waiting job says why; unchanged reasons write nothing."""
    refusal, head = why
    reason, facts = reason_of(refusal, head, now_ms=now_ms)
    with transaction.atomic():
        record_decision(job, "refused", refusal, seen=seen, now_ms=now_ms)
        Job.objects.filter(pk=job.pk, state=JobState.QUEUED).exclude(reason=reason, reason_facts=facts).update(
            reason=reason, reason_facts=facts, rev=F("rev") + 1
        )
