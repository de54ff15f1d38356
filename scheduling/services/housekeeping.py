"""Leave nothing behind: keep an ended attempt's log, then let the engine forget it.

The engine's copy stays until the usage up to the end has been received (the agent reads it
there), at most MAX_KEEP_MS.
"""

import tempfile
from pathlib import Path

from scheduling.executors.base import Executor
from scheduling.models import HAS_ENDED, Artifact, Attempt
from scheduling.ports import Ports

#: A frame closes at most this long after an end with the attempt's last usage in it.
FINAL_FRAME_MS = 6_000
MAX_KEEP_MS = 600_000
CHUNK = 1 << 20


def tidy(ports: Ports, *, now_ms: int) -> int:
    """Forget what may be forgotten; returns how many attempts were."""
    ended = Attempt.objects.filter(HAS_ENDED, forgotten_ms=None)
    return sum(
        _tidy_one(ports, attempt, now_ms=now_ms)
        for attempt in ended.select_related("node", "job").order_by("changed_ms")[:200]
    )


def _tidy_one(ports: Ports, attempt: Attempt, *, now_ms: int) -> bool:
    engine = ports.engines.get(attempt.engine)
    if engine is None or not _may_forget(ports, attempt, now_ms):
        return False
    _keep_log(ports, engine, attempt, now_ms=now_ms)
    engine.forget(str(attempt.pk))
    Attempt.objects.filter(pk=attempt.pk).update(forgotten_ms=now_ms)
    return True


def _may_forget(ports: Ports, attempt: Attempt, now_ms: int) -> bool:
    end = attempt.ended_ms or attempt.changed_ms
    metered = ports.usage.metered_until_ms(attempt.node.name)
    if metered is not None and metered >= end + FINAL_FRAME_MS:
        return True
    return now_ms - attempt.changed_ms > MAX_KEEP_MS


def _keep_log(ports: Ports, engine: Executor, attempt: Attempt, *, now_ms: int) -> None:
    """Store the log by content under a name of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        with path.open("wb") as file:
            offset = 0
            while True:
                chunk = engine.read_log(str(attempt.pk), after=offset, limit=CHUNK)
                file.write(chunk.text.encode())
                if chunk.next_offset <= offset:
                    break
                offset = chunk.next_offset
        blob = ports.blobs.put(path)
    Artifact.objects.get_or_create(
        job_id=attempt.job_id,
        name=log_name(attempt.ordinal, attempt.member),
        defaults={
            "project_id": attempt.project_id,
            "sha256": blob.sha256,
            "size": blob.size,
            "created_ms": now_ms,
        },
    )


def log_name(ordinal: int, member: int = 0) -> str:
    """Where an attempt's kept log is found among its job's files; the first member's bears the bare name."""
    return f"attempt-{ordinal}.{member}.log" if member else f"attempt-{ordinal}.log"
