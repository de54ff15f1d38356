"""What does a waiting job wait for? A code and its facts, kept on the job while it is true.

`start_ms` is when the job in question starts at the latest: the head's own, or that of the head
(`head`, a job's id; selectors/told.py turns it into a name for those who may see that job).
"""

from typing import Any

from scheduling.crater.backfill import NEVER_MS
from scheduling.crater.model import Head, Refusal
from scheduling.crater.schedule import BACKFILL
from scheduling.services.recording import as_plain


def reason_of(refusal: Refusal, head: Head | None, *, now_ms: int) -> tuple[str, dict[str, Any]]:
    """The code and the facts of one refusal."""
    nearest = refusal.nearest
    facts: dict[str, Any] = {"possible": refusal.possible}
    if head is not None and nearest is not None and nearest.rule == BACKFILL:
        return f"waiting_{BACKFILL}", facts | {"head": head.job} | _start(head, now_ms)
    facts |= {"nearest": as_plain(refusal)["nearest"]} | ({"member": refusal.member} if refusal.member else {})
    if head is not None and head.job == refusal.job:
        facts |= _start(head, now_ms)
    return f"waiting_{nearest.rule}" if nearest else "waiting", facts


def _start(head: Head, now_ms: int) -> dict[str, int]:
    """Nothing where no instant can be named: any moment now, or nobody knows."""
    return {"start_ms": head.start_ms} if now_ms < head.start_ms < NEVER_MS else {}
