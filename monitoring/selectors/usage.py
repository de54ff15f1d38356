"""What did a job use, when? Its series by capability and device; access is decided by viewer.

A report's span starts where the attempt was last reported, because its usage is the difference
since then.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from alldata.agent.wire import Usage
from alldata.tenancy.viewer import Viewer
from monitoring.frames import span_of
from monitoring.selectors.frames import MAX_WINDOW_MS, reports_between
from monitoring.selectors.held import held_spots, seen_of
from monitoring.smoothing import Sample, Smoothing, rule_for, smoothed
from profiles.dimensions import BY_NAME
from scheduling.selectors.answers import AttemptView
from scheduling.selectors.jobs import job_row
from scheduling.selectors.metering import attempts_of


@dataclass(frozen=True, slots=True)
class Point:
    """The mean over [start_ms, end_ms), in the dimension's base unit; `q` is the exact integral (unit x ms)."""

    start_ms: int
    end_ms: int
    value: float
    q: int | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One capability of one device as one job used it. `quality` is the worst of its points."""

    capability: str
    device: str
    unit: str
    quality: str
    source: str
    attempt_id: UUID
    points: tuple[Point, ...]
    scope: str = "attempt"  # or "device": the whole device's, which the attempt held


@dataclass(frozen=True, slots=True)
class JobSeries:
    """All series of a job over one span, and how much of its running time they cover."""

    job_id: UUID
    reference: str
    start_ms: int
    end_ms: int
    sampling_ms: int | None
    coverage: float | None
    series: tuple[Series, ...]
    mode: str = ""  # of the profile: decides how the series is smoothed for people


def series_of_job(viewer: Viewer, ref: str, *, span: tuple[int | None, int | None], now_ms: int) -> JobSeries:
    """Usage of a job per window. Errors: JobNotFound when the viewer may not see it."""
    job = job_row(viewer, ref)
    attempts = attempts_of(job.id)
    start_ms = span[0] if span[0] is not None else (job.started_ms or job.submitted_ms)
    end_ms = span[1] if span[1] is not None else (job.ended_ms or now_ms)
    collected: dict[tuple[UUID, str, str], _Collected] = {}
    for attempt in attempts:
        _collect(attempt, start_ms, end_ms, collected)
        _complete(attempt, start_ms, end_ms, collected)
    series = tuple(c.series(*key) for key, c in sorted(collected.items(), key=lambda item: item[0]))
    return JobSeries(
        job_id=job.id,
        reference=job.reference,
        start_ms=start_ms,
        end_ms=end_ms,
        sampling_ms=_typical_window(series),
        coverage=_coverage(series, attempts, start_ms, end_ms),
        series=series,
        mode=job.mode,
    )


def smoothing_of(series: Series, mode: str) -> Smoothing:
    """The rule by which people read the series."""
    known = BY_NAME.get(series.capability)
    return rule_for(known.device_types[0] if known else "", mode)


def shown_smooth(series: Series, rule: Smoothing) -> Series:
    """The series as the rule smooths it."""
    samples = smoothed([Sample(p.start_ms, p.end_ms, p.value) for p in series.points], rule)
    return replace(series, points=tuple(Point(s.start_ms, s.end_ms, round(s.value, 3)) for s in samples))


def latest_smooth(series: Series, rule: Smoothing) -> float:
    """The newest value alone: only the points within its window are looked at."""
    since = series.points[-1].end_ms - rule.window_ms
    recent = tuple(point for point in series.points if point.end_ms > since)
    return shown_smooth(replace(series, points=recent), rule).points[-1].value


@dataclass(slots=True)
class _Collected:
    """Points of one series as they are found."""

    points: list[Point]
    qualities: set[str]
    source: str
    scope: str = "attempt"

    def series(self, attempt_id: UUID, device: str, capability: str) -> Series:
        unit = BY_NAME[capability].unit if capability in BY_NAME else ""
        known = self.qualities - {"missing"} or {"missing"}  # what is missing has no point: coverage tells of it
        worst = next(q for q in ("missing", "estimated", "proxy", "measured") if q in known)
        return Series(capability, device, unit, worst, self.source, attempt_id, tuple(self.points), self.scope)


def _collect(attempt: AttemptView, start_ms: int, end_ms: int, into: dict[tuple[UUID, str, str], _Collected]) -> None:
    """Walk the attempt's frames in order; each report spans from the one before it."""
    key = str(attempt.id)
    begin = max(start_ms - MAX_WINDOW_MS, attempt.created_ms - MAX_WINDOW_MS)
    reported_ms = attempt.started_ms or attempt.created_ms
    for frame in reports_between(attempt.node, key, begin, end_ms + MAX_WINDOW_MS):
        for usage in frame.of(key):
            since_ms, until_ms = span_of(usage, frame, reported_ms)
            if since_ms < end_ms and until_ms > start_ms:
                for name, value in usage.dims.items():
                    _add(into, (attempt.id, usage.device, name), value, since_ms, until_ms)
        reported_ms = frame.end_ms


def _complete(attempt: AttemptView, start_ms: int, end_ms: int, into: dict[tuple[UUID, str, str], _Collected]) -> None:
    """Add what was held and not reported: from its device where that was watched, else as missing."""
    if attempt.started_ms is None:
        return
    held = held_spots(attempt.id)
    unseen = {spot: claim for spot, claim in held.items() if (attempt.id, *spot) not in into}
    first, last = max(start_ms, attempt.started_ms), min(end_ms, attempt.ended_ms or end_ms)
    for seen in seen_of(attempt, unseen.values(), first, last):
        found = into.setdefault((attempt.id, *seen.spot), _Collected([], set(), seen.source, "device"))
        found.qualities.add(seen.quality)
        found.points.append(Point(seen.start_ms, seen.end_ms, round(seen.q / (seen.end_ms - seen.start_ms), 3), seen.q))
    for spot in unseen:
        into.setdefault((attempt.id, *spot), _Collected([], {"missing"}, "", "device"))


def _add(
    into: dict[tuple[UUID, str, str], _Collected],
    key: tuple[UUID, str, str],
    usage: Usage,
    since_ms: int,
    until_ms: int,
) -> None:
    found = into.setdefault(key, _Collected([], set(), usage.source))
    found.qualities.add(usage.quality)
    if usage.q is not None:
        found.points.append(Point(since_ms, until_ms, round(usage.q / (until_ms - since_ms), 3), usage.q))


def _typical_window(series: Sequence[Series]) -> int | None:
    """The median length of a point, which is what the agent was set to."""
    lengths = sorted(p.end_ms - p.start_ms for s in series for p in s.points)
    return lengths[len(lengths) // 2] if lengths else None


def _coverage(series: Sequence[Series], attempts: Sequence[AttemptView], start_ms: int, end_ms: int) -> float | None:
    """Part of the running time that the best-covered series of each attempt has points for."""
    ran = covered = 0
    for attempt in attempts:
        if attempt.started_ms is None:
            continue
        first, last = max(attempt.started_ms, start_ms), min(attempt.ended_ms or end_ms, end_ms)
        ran += max(0, last - first)
        spans = [
            sum(max(0, min(p.end_ms, last) - max(p.start_ms, first)) for p in s.points)
            for s in series
            if s.attempt_id == attempt.id
        ]
        covered += max(spans, default=0)
    return round(covered / ran, 4) if ran else None
