"""Commit placements in batches: one statement a batch, whole or not at all.

One lock, one statement (statements.py), one more for the facts. When any row of a batch refuses - a job moved on,
room is gone, a core is held, an answer makes no sense - everything is undone and the halves are
tried, so of a plan with one bad placement all others stand and the bad one is left as a conflict.
"""

from collections.abc import Sequence

from django.db import DataError, IntegrityError, connection, transaction

from alldata.kernel.events import JobMoved
from alldata.outbox.publish import publish_all
from alldata.outbox.wake import once_each
from scheduling.crater.model import Placement
from scheduling.lifecycle import JobState
from scheduling.models import Job, PlannerInput
from scheduling.services.locks import LockKey, locking
from scheduling.services.recording import as_text, strict_text
from scheduling.services.statements import COMMIT, CONFLICTS

#: Placements a transaction: more saves little and holds the lock longer.
BATCH = 100


class _Refused(Exception):
    """One row of the batch refused; the transaction is undone."""


def commit_all(placements: Sequence[Placement], *, seen: PlannerInput, now_ms: int) -> int:
    """How many placements stand now; each of the others is recorded as conflicted."""
    batches = [placements[start : start + BATCH] for start in range(0, len(placements), BATCH)]
    with once_each():
        return sum(_stand(batch, seen=seen, now_ms=now_ms) for batch in batches)


def commit_batch(placements: Sequence[Placement], *, seen: PlannerInput, now_ms: int) -> bool:
    """True when every placement was committed; False when none was."""
    words = (as_text(placements), now_ms, str(seen.pk))
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            COMMIT.execute(cursor, words, first=locking(LockKey.PLANNER))
            taken: list[tuple[str, str]] = cursor.fetchall()
            if len(taken) != len(placements):
                raise _Refused
            facts = [JobMoved(job, project, JobState.ADMITTED.value, now_ms) for job, project in taken]
            publish_all(facts, now_ms=now_ms)
    except (_Refused, IntegrityError, DataError):
        return False
    return True


def _stand(batch: Sequence[Placement], *, seen: PlannerInput, now_ms: int) -> int:
    """How many of a batch. When it refuses, jobs that moved on are found at once (another planner was faster)."""
    if commit_batch(batch, seen=seen, now_ms=now_ms):
        return len(batch)
    rows = Job.objects.filter(pk__in=[p.job for p in batch], state=JobState.QUEUED, stop_requested="")
    queued = {str(pk) for pk in rows.values_list("pk", flat=True)}
    note_conflicts([p for p in batch if p.job not in queued], seen=seen, now_ms=now_ms)
    return _by_halves([p for p in batch if p.job in queued], seen=seen, now_ms=now_ms)


def _by_halves(batch: Sequence[Placement], *, seen: PlannerInput, now_ms: int) -> int:
    if not batch or commit_batch(batch, seen=seen, now_ms=now_ms):
        return len(batch)
    if len(batch) == 1:
        note_conflicts(batch, seen=seen, now_ms=now_ms)
        return 0
    middle = len(batch) // 2
    halves = batch[:middle], batch[middle:]
    return sum(_by_halves(half, seen=seen, now_ms=now_ms) for half in halves)


def note_conflicts(placements: Sequence[Placement], *, seen: PlannerInput, now_ms: int) -> None:
    """One decision each; a conflict equal to the job's latest decision is not repeated."""
    if placements:
        answers = f"[{','.join(_storable(placement) for placement in placements)}]"
        with connection.cursor() as cursor:
            cursor.execute(CONFLICTS, {"answers": answers, "now": now_ms, "seen": str(seen.pk)})


def _storable(placement: Placement) -> str:
    return strict_text(placement, instead={"job": placement.job, "node": placement.node, "unstorable": True})
