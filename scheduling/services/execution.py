"""Make what runs match what should run: the one driver of every engine.

The members of a gang are attempts of their own; when one ends badly the others are told to stop, which
follows from the rows alone and needs no mark.

Level-triggered: `drive` looks at each live attempt, looks at its engine, and moves it at most one step;
events merely wake it. It runs outside transactions; each step commits alone, so a kill at any instant is
repaired by the next pass. Next: costing/services/metering.py.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from scheduling.errors import EngineAway, IllegalMove
from scheduling.executors.base import Executor, LaunchRefused, Observation, Phase
from scheduling.lifecycle import BAD_ENDS, MAX_AGE_MS, STOP_GRACE_MS, AllocationState, AttemptState, JobState
from scheduling.models import IS_LIVE, Allocation, Attempt, Job
from scheduling.ports import Ports
from scheduling.services import finishing
from scheduling.services.launching import launch_spec
from scheduling.services.moves import move_attempt, move_job

#: A place that is held and not used yet (services/holds.py) has nothing to run: only a stop concerns it.
DRIVEN = Q(job__hold=None) | Q(job__hold__used_ms__isnull=False) | ~Q(job__stop_requested="")


def drive(ports: Ports, *, now_ms: int) -> bool:
    """One pass. True when something moved or is about to, so another pass soon is worth it."""
    live = list(Attempt.objects.filter(IS_LIVE, DRIVEN).select_related("job", "node").order_by("id"))
    by_engine: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in live:
        by_engine[attempt.engine].append(attempt)
    busy, broken = False, broken_tries({attempt.job_id for attempt in live if attempt.members > 1})
    for name, attempts in by_engine.items():
        engine = ports.engines.get(name)
        if engine is None:
            raise EngineAway(name)
        seen = engine.observe([str(attempt.pk) for attempt in attempts])
        for attempt in attempts:
            stopping = bool(attempt.job.stop_requested) or (attempt.job_id, attempt.ordinal) in broken
            moved = _step_safely(Turn(ports, engine, stopping), attempt, seen[str(attempt.pk)], now_ms)
            if moved and attempt.members > 1:
                broken |= broken_tries({attempt.job_id})
            busy |= moved
    return busy


def broken_tries(jobs: Collection[UUID]) -> set[tuple[UUID, int]]:
    """(job, ordinal) of tries of which a member has ended badly: nothing of them is to run on."""
    if not jobs:
        return set()
    return set(Attempt.objects.filter(job_id__in=jobs, state__in=BAD_ENDS).values_list("job_id", "ordinal"))


@dataclass(frozen=True, slots=True)
class Turn:
    """What the step of one attempt needs to know."""

    ports: Ports
    engine: Executor
    stopping: bool


def _step_safely(turn: Turn, attempt: Attempt, seen: Observation, now_ms: int) -> bool:
    """Another mover may have won meanwhile: then this attempt waits for the next pass."""
    try:
        return _step(turn, attempt, seen, now_ms)
    except IllegalMove:
        return True


def _step(turn: Turn, attempt: Attempt, seen: Observation, now_ms: int) -> bool:
    ports, engine, state = turn.ports, turn.engine, AttemptState(attempt.state)
    stopping = turn.stopping and state is not AttemptState.FINISHING
    if state is AttemptState.FINISHING:
        finishing.finish(ports, engine, attempt, now_ms=now_ms)
    elif stopping and seen.phase is Phase.ABSENT and state is AttemptState.PLACING:
        finishing.cancel_unstarted(attempt, now_ms=now_ms)
    elif seen.phase is Phase.ENDED:
        _note_end(attempt, seen, now_ms)
    elif seen.phase is Phase.LOST or _vanished(attempt, seen, now_ms):
        finishing.lose(attempt, seen, now_ms=now_ms)
    elif state is AttemptState.PLACING:
        _launch(ports, engine, attempt, now_ms)
    elif state is AttemptState.STARTING and seen.phase is Phase.RUNNING:
        _note_start(attempt, seen, now_ms)
    else:
        return _watch(engine, attempt, seen, now_ms, stopping=stopping)
    return True


def _watch(engine: Executor, attempt: Attempt, seen: Observation, now_ms: int, *, stopping: bool) -> bool:
    """Nothing to move: note progress, pass a stop request on once."""
    _note_progress(attempt, seen)
    if stopping and attempt.stop_sent_ms is None:
        engine.stop(str(attempt.pk), grace_ms=STOP_GRACE_MS)
        Attempt.objects.filter(pk=attempt.pk).update(stop_sent_ms=now_ms)
    return stopping or attempt.state == AttemptState.STARTING


def _launch(ports: Ports, engine: Executor, attempt: Attempt, now_ms: int) -> None:
    try:
        engine.launch(str(attempt.pk), launch_spec(attempt, blobs=ports.blobs))
    except LaunchRefused as refusal:
        finishing.refuse_launch(attempt, str(refusal), now_ms=now_ms)
        return
    move_attempt(attempt, AttemptState.STARTING, now_ms=now_ms)
    Allocation.objects.filter(attempt=attempt, state=AllocationState.RESERVED).update(state=AllocationState.HELD)


def _note_start(attempt: Attempt, seen: Observation, now_ms: int) -> None:
    columns = {
        "started_ms": seen.started_ms,
        "endpoint": dict(seen.endpoint),
        "limits": dict(seen.limits),
    }
    with transaction.atomic():
        move_attempt(attempt, AttemptState.RUNNING, now_ms=now_ms, columns=columns)
        job, started_ms = attempt.job, _all_started_ms(attempt, seen)
        if started_ms is not None and job.state == JobState.ADMITTED:
            move_job(job, JobState.ACTIVE, now_ms=now_ms, columns={} if job.started_ms else {"started_ms": started_ms})


def _all_started_ms(attempt: Attempt, seen: Observation) -> int | None:
    """Since when all members of this try run, None while some do not yet. The lock lets one see the other's start."""
    if attempt.members == 1:
        return seen.started_ms
    Job.objects.select_for_update().get(pk=attempt.job_id)
    started = Attempt.objects.filter(job_id=attempt.job_id, ordinal=attempt.ordinal, started_ms__isnull=False)
    told = [started_ms or 0 for started_ms in started.values_list("started_ms", flat=True)]
    return max(told) if len(told) == attempt.members else None


def _note_end(attempt: Attempt, seen: Observation, now_ms: int) -> None:
    """The process is over; its files are collected in the next step."""
    if attempt.state == AttemptState.STARTING:
        _note_start(attempt, seen, now_ms)
    columns = {
        "started_ms": seen.started_ms,
        "ended_ms": seen.ended_ms,
        "exit_code": seen.exit_code,
        "signal": seen.signal,
        "reason": seen.reason or "",
        "detail": (seen.detail or "")[:4000],
        "limits": dict(seen.limits),
        "progress": finishing.progress_of(seen),
    }
    move_attempt(attempt, AttemptState.FINISHING, now_ms=now_ms, columns=columns)


def _note_progress(attempt: Attempt, seen: Observation) -> None:
    """Progress is a measurement, not a state: written when it changed."""
    progress = finishing.progress_of(seen)
    if progress and progress != attempt.progress:
        finishing.store_progress(attempt, progress)


def _vanished(attempt: Attempt, seen: Observation, now_ms: int) -> bool:
    """Launched, yet the engine knows nothing of it for longer than a launch can take."""
    state = AttemptState(attempt.state)
    if seen.phase is not Phase.ABSENT or state is AttemptState.PLACING:
        return False
    return now_ms - attempt.changed_ms > MAX_AGE_MS.get(state, 10_000)
