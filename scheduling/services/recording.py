"""Keep what the planner saw and said, so that any decision can be replayed.

Inputs are stored once by content: a queue that waits on an unchanged cluster adds nothing.
"""

import hashlib
import json
import zlib
from dataclasses import asdict
from typing import Any

from scheduling.crater.model import Placement, Refusal, Snapshot
from scheduling.models import Decision, Job, PlannerInput


def record_input(snapshot: Snapshot) -> PlannerInput:
    """Store the snapshot unless an equal one (apart from its instant) is stored."""
    plain = asdict(snapshot)
    at_ms = plain.pop("now_ms")
    body = json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()
    row, _ = PlannerInput.objects.get_or_create(
        digest=hashlib.sha256(body).hexdigest(),
        defaults={"at_ms": at_ms, "body": zlib.compress(body, 6)},
    )
    return row


def record_decision(job: Job, outcome: str, answer: Placement | Refusal, *, seen: PlannerInput, now_ms: int) -> None:
    """Append a decision; a refusal equal to the latest one is not repeated."""
    plain = as_plain(answer)
    if outcome == "refused":
        latest = Decision.objects.filter(job=job).order_by("-at_ms", "-id").first()
        if latest is not None and latest.outcome == outcome and latest.answer == plain:
            return
    Decision.objects.create(
        job=job,
        project_id=job.project_id,
        planner_input=seen,
        at_ms=now_ms,
        outcome=outcome,
        answer=plain,
    )


def as_plain(answer: Placement | Refusal) -> dict[str, Any]:
    """The answer as the JSON values that the database gives back (tuples become lists)."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(answer)))
    return plain
