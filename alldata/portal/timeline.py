"""Where on the axis does everything lie? Lanes, ticks and marks of the job page's timeline, as plain numbers.

Pure: series in, percentages and SVG paths out; the template draws them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from monitoring.selectors.usage import Point, Series

STEPS_MS = tuple(s * 1000 for s in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400))
LANE_HEIGHT = 34
MAX_POINTS = 240


@dataclass(frozen=True, slots=True)
class Axis:
    """A span of time as the width of the drawing."""

    start_ms: int
    end_ms: int

    def at(self, moment_ms: int) -> float:
        """Percent of the width, kept on the drawing."""
        return round(max(0.0, min(100.0, 100 * (moment_ms - self.start_ms) / (self.end_ms - self.start_ms))), 2)

    def holds(self, moment_ms: int | None) -> bool:
        return moment_ms is not None and self.start_ms <= moment_ms <= self.end_ms

    def ticks(self, most: int = 5) -> list[tuple[int, float]]:
        """Round moments, at most `most`."""
        step = next((s for s in STEPS_MS if (self.end_ms - self.start_ms) / s <= most), STEPS_MS[-1])
        first = -(-self.start_ms // step) * step
        return [(t, self.at(t)) for t in range(first, self.end_ms, step)][:12]


@dataclass(frozen=True, slots=True)
class Lane:
    """One capability over time: paths in a 1000 x LANE_HEIGHT box."""

    capability: str
    device: str
    line: str
    area: str
    gaps: tuple[tuple[float, float], ...]
    last: float
    whole: float
    count: int
    quality: str
    source: str
    calm: float = 0.0  # the latest, smoothed as people read it
    calm_ms: int = 0  # over how long

    @property
    def share(self) -> float | None:
        return self.last / self.whole if self.whole and self.count else None


def axis_of(
    start_ms: int, now_ms: int, *, ended_ms: int | None, finish_ms: int | None, deadline_ms: int | None
) -> Axis:
    """From the start to the end or the forecast; a far deadline is named, not drawn."""
    end = ended_ms or max(now_ms, finish_ms or 0)
    span = max(end - start_ms, 2_000)
    if deadline_ms and start_ms < deadline_ms <= start_ms + 3 * span:
        end = max(end, deadline_ms)
    return Axis(start_ms, start_ms + round(max(end - start_ms, 2_000) * 1.06))


def lane(series: Series, axis: Axis, *, whole: float | None, ran: tuple[int, int] | None = None) -> Lane:
    """Draw one series over the time it ran; holes of more than two windows are gaps, never zero."""
    since_ms, last_ms = ran or (axis.start_ms, axis.end_ms)
    points = [
        Point(p.start_ms, min(p.end_ms, last_ms), p.value)
        for p in series.points
        if p.end_ms > axis.start_ms and p.start_ms < last_ms and series.quality != "missing"
    ]
    points = thinned(points)
    top = whole or max((p.value for p in points), default=0.0) or 1.0
    segments, gaps = _segments(points, axis)
    lines = ["M" + "L".join(_xy(p, axis, top) for p in segment) for segment in segments]
    return Lane(
        capability=series.capability,
        device=series.device,
        line="".join(lines),
        area="".join(_area(segment, axis, top) for segment in segments),
        gaps=gaps if points else ((axis.at(since_ms), round(axis.at(last_ms) - axis.at(since_ms), 2)),),
        last=points[-1].value if points else 0.0,
        whole=top,
        count=len(points),
        quality=series.quality,
        source=series.source,
    )


def expected(capability: str, whole: float) -> Lane:
    """A lane that waits for its first sample: it keeps the place."""
    return Lane(capability, "", "", "", (), 0.0, whole, 0, "missing", "")


def thinned(points: Sequence[Point]) -> list[Point]:
    """Few enough points for a small drawing, the last one always kept."""
    step = -(-len(points) // MAX_POINTS) or 1
    return [*points[:-1:step], points[-1]] if points else []


def _segments(points: Sequence[Point], axis: Axis) -> tuple[list[list[Point]], tuple[tuple[float, float], ...]]:
    segments: list[list[Point]] = []
    gaps = []
    for point in points:
        last = segments[-1][-1] if segments else None
        if last is None or point.start_ms - last.end_ms > 2 * (point.end_ms - point.start_ms):
            if last is not None:
                gaps.append((axis.at(last.end_ms), round(axis.at(point.start_ms) - axis.at(last.end_ms), 2)))
            segments.append([])
        segments[-1].append(point)
    return segments, tuple(gaps)


def _x(moment_ms: float, axis: Axis) -> str:
    return f"{10 * axis.at(int(moment_ms)):.1f}"


def _y(value: float, top: float) -> str:
    return f"{LANE_HEIGHT - 2 - (LANE_HEIGHT - 4) * min(1.0, value / top):.1f}"


def _xy(point: Point, axis: Axis, top: float) -> str:
    return f"{_x(point.start_ms, axis)} {_y(point.value, top)}L{_x(point.end_ms, axis)} {_y(point.value, top)}"


def _area(segment: Iterable[Point], axis: Axis, top: float) -> str:
    points = list(segment)
    body = "L".join(_xy(p, axis, top) for p in points)
    return f"M{_x(points[0].start_ms, axis)} {LANE_HEIGHT}L{body}L{_x(points[-1].end_ms, axis)} {LANE_HEIGHT}Z"
