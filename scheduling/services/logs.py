"""Read an attempt's output: live from its engine, later from the kept copy."""

from dataclasses import dataclass
from pathlib import Path

from alldata.tenancy.viewer import Viewer
from scheduling.executors.base import LogChunk
from scheduling.models import Artifact, Attempt
from scheduling.ports import Ports
from scheduling.selectors.jobs import find_job
from scheduling.services.housekeeping import log_name

EMPTY = LogChunk(0, 0, "", 0)


@dataclass(frozen=True, slots=True)
class Span:
    """At most `limit` bytes from byte `after` (negative: from the end); `attempt` None is the latest.

    `member` is of a gang; every other job has the member 0 alone.
    """

    after: int
    limit: int
    attempt: int | None = None
    member: int = 0


def read_log(viewer: Viewer, reference: str, span: Span, *, ports: Ports) -> LogChunk:
    """A piece of one attempt's output. Errors: JobNotFound."""
    job = find_job(viewer, reference)
    rows = job.attempts.filter(member=span.member).order_by("-ordinal")
    row = (rows if span.attempt is None else rows.filter(ordinal=span.attempt)).first()
    if row is None:
        return EMPTY
    if row.forgotten_ms is not None:
        return _kept(row, ports, span)
    engine = ports.engines.get(row.engine)
    return engine.read_log(str(row.pk), after=span.after, limit=span.limit) if engine else EMPTY


def _kept(row: Attempt, ports: Ports, span: Span) -> LogChunk:
    kept = Artifact.objects.filter(job_id=row.job_id, name=log_name(row.ordinal, row.member)).first()
    if kept is None:
        return EMPTY
    return _read(ports.blobs.path(kept.sha256), kept.size, span)


def _read(path: Path, size: int, span: Span) -> LogChunk:
    start = max(0, size + span.after) if span.after < 0 else min(span.after, size)
    with path.open("rb") as file:
        file.seek(start)
        data = file.read(span.limit)
    return LogChunk(start, start + len(data), data.decode(errors="replace"), size)
