"""Read an attempt's output: live from its engine, later from the kept copy."""

from pathlib import Path

from alldata.tenancy.viewer import Viewer
from scheduling.executors.base import LogChunk
from scheduling.models import Artifact, Attempt
from scheduling.ports import Ports
from scheduling.selectors.jobs import find_job
from scheduling.services.housekeeping import log_name

EMPTY = LogChunk(0, 0, "", 0)


def read_log(
    viewer: Viewer, reference: str, *, ports: Ports, after: int, limit: int, attempt: int | None = None
) -> LogChunk:
    """At most `limit` bytes from byte `after` (negative: from the end) of one attempt's output.

    Without `attempt` the latest one is read. Errors: JobNotFound.
    """
    job = find_job(viewer, reference)
    rows = job.attempts.order_by("-ordinal")
    row = (rows.filter(ordinal=attempt) if attempt is not None else rows).first()
    if row is None:
        return EMPTY
    if row.forgotten_ms is not None:
        return _kept(row, ports, after, limit)
    engine = ports.engines.get(row.engine)
    return engine.read_log(str(row.pk), after=after, limit=limit) if engine else EMPTY


def _kept(row: Attempt, ports: Ports, after: int, limit: int) -> LogChunk:
    kept = Artifact.objects.filter(job_id=row.job_id, name=log_name(row.ordinal)).first()
    if kept is None:
        return EMPTY
    return _read(ports.blobs.path(kept.sha256), kept.size, after, limit)


def _read(path: Path, size: int, after: int, limit: int) -> LogChunk:
    start = max(0, size + after) if after < 0 else min(after, size)
    with path.open("rb") as file:
        file.seek(start)
        data = file.read(limit)
    return LogChunk(start, start + len(data), data.decode(errors="replace"), size)
