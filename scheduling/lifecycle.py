"""States of jobs, attempts and allocations, and the only legal moves between them.

The tables are data; `services/moves.py` turns them into conditional updates, so the
database decides every race. "Deadline missed" is a fact on the job, not a state.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum


class JobState(StrEnum):
    """Where a job stands for its owner."""

    QUEUED = "queued"
    ADMITTED = "admitted"
    ACTIVE = "active"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    OVER_BUDGET = "over_budget"


class AttemptState(StrEnum):
    """Where one run of a job stands."""

    PLACING = "placing"
    STARTING = "starting"
    RUNNING = "running"
    FINISHING = "finishing"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PREEMPTED = "preempted"
    LOST = "lost"


class AllocationState(StrEnum):
    """Where a claim on a device stands. `releasing` keeps the units for the grace period."""

    RESERVED = "reserved"
    HELD = "held"
    RELEASING = "releasing"
    RELEASED = "released"


JOB_MOVES: Mapping[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.ADMITTED, JobState.CANCELLED, JobState.FAILED, JobState.OVER_BUDGET}),
    JobState.ADMITTED: frozenset(
        {JobState.ACTIVE, JobState.QUEUED, JobState.CANCELLED, JobState.FAILED, JobState.OVER_BUDGET}
    ),
    JobState.ACTIVE: frozenset(
        {
            JobState.QUEUED,
            JobState.SUCCEEDED,
            JobState.FAILED,
            JobState.CANCELLED,
            JobState.OVER_BUDGET,
        }
    ),
}

_ATTEMPT_ENDS = frozenset(
    {
        AttemptState.FAILED,
        AttemptState.CANCELLED,
        AttemptState.PREEMPTED,
        AttemptState.LOST,
    }
)
ATTEMPT_MOVES: Mapping[AttemptState, frozenset[AttemptState]] = {
    AttemptState.PLACING: frozenset({AttemptState.STARTING}) | _ATTEMPT_ENDS,
    AttemptState.STARTING: frozenset({AttemptState.RUNNING, AttemptState.FINISHING}) | _ATTEMPT_ENDS,
    AttemptState.RUNNING: frozenset({AttemptState.FINISHING}) | _ATTEMPT_ENDS,
    AttemptState.FINISHING: frozenset({AttemptState.SUCCEEDED}) | _ATTEMPT_ENDS,
}

ALLOCATION_MOVES: Mapping[AllocationState, frozenset[AllocationState]] = {
    AllocationState.RESERVED: frozenset({AllocationState.HELD, AllocationState.RELEASING}),
    AllocationState.HELD: frozenset({AllocationState.RELEASING}),
    AllocationState.RELEASING: frozenset({AllocationState.RELEASED}),
}

JOB_ENDS = frozenset(set(JobState) - set(JOB_MOVES))
ATTEMPT_ENDS = frozenset(set(AttemptState) - set(ATTEMPT_MOVES))

#: `stop_requested` of a job that makes room for another and goes back to the queue.
PREEMPTED = "preempted"
#: How long an engine lets a stopped attempt end by itself before it is killed.
STOP_GRACE_MS = 5_000

#: How long an attempt may stay in a state before the reaper looks (ms). Running attempts
#: are bounded by their own timeout, which the engine enforces.
MAX_AGE_MS: Mapping[AttemptState, int] = {
    AttemptState.PLACING: 60_000,
    AttemptState.STARTING: 120_000,
    AttemptState.FINISHING: 120_000,
}


def job_sources(to: JobState) -> frozenset[JobState]:
    """The states from which a job may move to `to`."""
    return frozenset(state for state, targets in JOB_MOVES.items() if to in targets)


def attempt_sources(to: AttemptState) -> frozenset[AttemptState]:
    """The states from which an attempt may move to `to`."""
    return frozenset(state for state, targets in ATTEMPT_MOVES.items() if to in targets)


#: Ends that say nothing about the job's own code: worth another try.
RETRYABLE = frozenset({"engine_shutdown", "lost"})
#: A member of a gang that was told to stop because another one ended badly.
MEMBER_ENDED = "member_ended"
BAD_ENDS = ATTEMPT_ENDS - {AttemptState.SUCCEEDED}
_WORSE = (
    AttemptState.SUCCEEDED,
    AttemptState.CANCELLED,
    AttemptState.PREEMPTED,
    AttemptState.FAILED,
    AttemptState.LOST,  # a machine that is gone excuses what the other members made of its silence
)


def worst_of(ends: Sequence[AttemptState]) -> int:
    """The member whose end is that of the whole try: the worst, and of equals the first."""
    return max(range(len(ends)), key=lambda member: (_WORSE.index(ends[member]), -member))


def job_after(to: AttemptState, reason: str, *, asked: str, may_retry: bool) -> JobState:
    """What becomes of the job when a try has ended so; `asked` is who asked for the stop, if anybody did."""
    if to is AttemptState.SUCCEEDED:
        return JobState.SUCCEEDED
    if asked == "over_budget":
        return JobState.OVER_BUDGET
    if asked == PREEMPTED:  # back to the queue, unless it failed by itself before the stop reached it
        return JobState.FAILED if to is AttemptState.FAILED else JobState.QUEUED
    if to is AttemptState.CANCELLED or asked:
        return JobState.SUCCEEDED if asked == "completed" else JobState.CANCELLED
    return JobState.QUEUED if reason in RETRYABLE and may_retry else JobState.FAILED
