"""Keep what the planner saw and said, so that any decision can be replayed.

Inputs are stored once by content: a queue that waits on an unchanged cluster adds nothing.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scheduling.crater.model import Placement, Refusal, Snapshot
from scheduling.models import Decision, Job, PlannerInput


def record_input(snapshot: Snapshot) -> PlannerInput:
    """Store the snapshot unless an equal one (apart from its instant) is stored."""
    body = as_text(replace(snapshot, now_ms=0)).encode()
    row, _ = PlannerInput.objects.get_or_create(
        digest=hashlib.sha256(body).hexdigest(),
        defaults={"at_ms": snapshot.now_ms, "body": zlib.compress(body, 1)},
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
    plain: dict[str, Any] = json.loads(as_text(answer))
    return plain


def as_text(value: Placement | Refusal | Snapshot) -> str:
    """Canonical JSON of the core's values; the encoder asks for each dataclass once (asdict would copy all)."""
    return json.dumps(value, default=_fields, sort_keys=True, separators=(",", ":"))


def _fields(value: Any) -> dict[str, Any]:
    """A slotted dataclass, or a mapping that is no dict, as a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    return {name: getattr(value, name) for name in value.__slots__}
