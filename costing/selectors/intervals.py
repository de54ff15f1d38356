"""Which intervals make up what a job was charged for a capability? The last level of the drill path.

Times, quantities and qualities are the agent's own; money is the ledger's, by the hour, divided
between the intervals of the hour so that it sums to it (costing.rating.shares).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import Piece
from costing.rating.shares import Share, Stretch, shares, stretches
from costing.selectors.breakdown import breakdown
from costing.selectors.questions import By, Question
from monitoring.selectors.usage import Series, series_of_job
from scheduling.selectors.jobs import job_row
from scheduling.selectors.metering import allocations_between, attempts_of

Key = tuple[UUID, str, str]  # attempt, device, capability


@dataclass(frozen=True, slots=True)
class Asked:
    """One capability of one job during whole UTC hours that overlap [from_ms, to_ms)."""

    ref: str
    capability: str
    from_ms: int
    to_ms: int

    @property
    def hours(self) -> tuple[int, int]:
        """The span widened to whole hours."""
        return self.from_ms // HOUR_MS * HOUR_MS, -(-self.to_ms // HOUR_MS) * HOUR_MS


def intervals_of_job(viewer: Viewer, asked: Asked, *, now_ms: int) -> list[Share]:
    """All intervals in order of time. Errors: JobNotFound."""
    return intervals_of_parts(viewer, asked, [asked.capability], now_ms=now_ms)[asked.capability]


def intervals_of_parts(
    viewer: Viewer, asked: Asked, capabilities: Sequence[str], *, now_ms: int
) -> dict[str, list[Share]]:
    """The same for several capabilities; usage and claims are read once for all. Errors: JobNotFound."""
    by_spot: dict[tuple[str, str], list[Stretch]] = {}
    for capability, stretch in _stretches(viewer, asked, capabilities, now_ms=now_ms):
        by_spot.setdefault((capability, stretch.device), []).append(stretch)
    answer: dict[str, list[Share]] = {capability: [] for capability in capabilities}
    for (capability, device), mine in by_spot.items():
        answer[capability] += shares(mine, _hours(viewer, replace(asked, capability=capability), device))
    return {c: sorted(found, key=lambda s: (s.stretch.span, s.stretch.device)) for c, found in answer.items()}


def held_span(viewer: Viewer, ref: str, *, now_ms: int) -> Interval | None:
    """From the first claim of the job to the end of its last, grace included; None before it held anything."""
    attempts = [attempt.id for attempt in attempts_of(job_row(viewer, ref).id)]
    claims = allocations_between(0, now_ms, attempt_ids=attempts)
    ends = [min(claim.end_ms or now_ms, now_ms) for claim in claims]
    return Interval(claims[0].start_ms, max(ends)) if claims and claims[0].start_ms < max(ends) else None


def _hours(viewer: Viewer, asked: Asked, device: str) -> Mapping[int, tuple[int, int]]:
    first, last = asked.hours
    most = (last - first) // HOUR_MS
    question = Question(By.HOUR, first, last, job=asked.ref, device=device, capability=asked.capability, limit=most)
    rows = breakdown(viewer, question).rows
    return {int(r.key): (r.amounts.used_nano, r.amounts.idle_nano + r.amounts.unmetered_nano) for r in rows}


def _stretches(viewer: Viewer, asked: Asked, capabilities: Sequence[str], *, now_ms: int) -> list[tuple[str, Stretch]]:
    job = job_row(viewer, asked.ref)
    first, last = asked.hours
    usage = series_of_job(viewer, asked.ref, span=(first, last), now_ms=now_ms)
    known: dict[Key, Series] = {(s.attempt_id, s.device, s.capability): s for s in usage.series}
    attempts = [attempt.id for attempt in attempts_of(job.id)]
    found = []
    for claim in allocations_between(first, last, attempt_ids=attempts):
        start, end = max(claim.start_ms, first), min(claim.end_ms or now_ms, now_ms, last)
        if claim.dimension in capabilities and start < end:
            pieces = _pieces(known.get((claim.attempt_id, claim.device, claim.dimension)))
            parts = stretches(Interval(start, end), claim.amount, claim.device, pieces)
            found += [(claim.dimension, part) for part in parts]
    return sorted(found, key=lambda pair: (pair[1].span, pair[1].device))


def _pieces(series: Series | None) -> list[tuple[Piece, str, str]]:
    points = series.points if series else ()
    return [
        (Piece(Interval(p.start_ms, p.end_ms), p.q), series.quality, series.source)
        for p in points
        if series and p.q is not None
    ]
