"""Tell waiting jobs why they wait: many at once, and only where the reason has changed.

Equal requests get equal answers (plan.py), so an answer is written as text once, whatever the number of jobs.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.db import connection, transaction

from scheduling.crater.model import Head, Refusal
from scheduling.models import PlannerInput
from scheduling.services.locks import LockKey, lock_in_transaction
from scheduling.services.recording import strict_text
from scheduling.services.statements import REFUSE
from scheduling.services.waiting import reason_of

#: Jobs a transaction.
BATCH = 1000


def note_refusals(refusals: Sequence[Refusal], head: Head | None, *, seen: PlannerInput, now_ms: int) -> None:
    """The reason on each job that still waits, and a decision with the whole answer."""
    for start in range(0, len(refusals), BATCH):
        words = _gathered(refusals[start : start + BATCH], head, now_ms)
        with transaction.atomic(), connection.cursor() as cursor:
            lock_in_transaction(LockKey.PLANNER)
            cursor.execute(REFUSE, {**words, "now": now_ms, "seen": str(seen.pk)})


def _gathered(refusals: Sequence[Refusal], head: Head | None, now_ms: int) -> dict[str, str]:
    """Each body once, and which of them each job gets."""
    bodies: dict[object, tuple[int, str]] = {}
    which = []
    for refusal in refusals:
        parts = (refusal.counts, refusal.nearest, refusal.shortfalls, refusal.relaxations)
        key = (refusal.possible, head is not None and head.job == refusal.job, *map(id, parts))
        if key not in bodies:
            bodies[key] = len(bodies) + 1, _body(refusal, head, now_ms)
        which.append(str(bodies[key][0]))
    return {
        "bodies": f"[{','.join(body for _, body in bodies.values())}]",
        "jobs": f"{{{','.join(refusal.job for refusal in refusals)}}}",
        "which": f"{{{','.join(which)}}}",
    }


def _body(refusal: Refusal, head: Head | None, now_ms: int) -> str:
    reason, facts = reason_of(refusal, head, now_ms=now_ms)
    unstorable = {"answer": {"possible": refusal.possible, "unstorable": True}, "reason": reason, "facts": {}}
    return strict_text({"answer": replace(refusal, job=""), "reason": reason, "facts": facts}, instead=unstorable)
