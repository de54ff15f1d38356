"""Windows of one minute as one: what old days are kept as. Integrals and coverage add, peaks are the largest.

Only windows that follow one another without a gap and describe the same things are merged, so that
every hour, and every minute, comes to exactly what the single windows came to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from monitoring.frames.columns import ABSENT, Columns, Numbers, Part
from monitoring.frames.reading import Window

MINUTE_MS = 60_000
#: A sum of this many windows of at most this much stays within 63 bits.
MOST_WINDOWS, MOST_Q = 64, 2**57 - 1


def by_minute(windows: Sequence[Window]) -> Iterator[Window]:
    """Windows of one epoch in order, runs within a minute merged; the first keeps its sequence number."""
    run: list[Window] = []
    for window in windows:
        if run and (len(run) == MOST_WINDOWS or not _continues(run[-1], window)):
            yield merged(run)
            run = []
        run.append(window)
    if run:
        yield merged(run)


def _continues(before: Window, after: Window) -> bool:
    """May `after` be merged with what ends in `before`?"""
    pairs = list(zip(before.columns.parts, after.columns.parts, strict=False))
    return (
        before.end_ms == after.start_ms
        and before.start_ms // MINUTE_MS == (after.end_ms - 1) // MINUTE_MS
        and [_what(part) for part in before.columns.parts] == [_what(part) for part in after.columns.parts]
        and all(b.end_ms == a.start_ms for b, a in pairs if b.start_ms is not None)
        and bool(np.array_equal(before.columns.tags, after.columns.tags))
        and all(c.q.size == 0 or int(c.q.max()) <= MOST_Q for c in (before.columns, after.columns))
    )


def _what(part: Part) -> tuple[str, tuple[str, ...], str | None, bool]:
    return part.device, part.names, part.attempt, part.start_ms is None


def merged(run: Sequence[Window]) -> Window:
    """One window over the whole run."""
    if len(run) == 1:
        return run[0]
    first, last = run[0], run[-1]
    columns = [window.columns for window in run]
    parts = tuple(_span(parts) for parts in zip(*(c.parts for c in columns), strict=True))
    q = np.stack([c.q for c in columns]).sum(axis=0, dtype=np.int64)
    peak = np.stack([c.peak for c in columns]).max(axis=0)
    reasons = {k: text for c in columns for k, text in c.reasons.items()}
    whole = Columns(parts, q, peak, _added([c.coverage_ms for c in columns]), first.columns.tags, reasons)
    return Window(first.epoch, first.seq, first.start_ms, last.end_ms, whole)


def _span(parts: Sequence[Part]) -> Part:
    """One part over the time of all; reports of attempts follow one another."""
    return replace(parts[0], end_ms=parts[-1].end_ms)


def _added(columns: Sequence[Numbers]) -> Numbers:
    """Coverage adds up; where any of it is unknown, so is the sum."""
    return np.where(np.any([c == ABSENT for c in columns], axis=0), ABSENT, np.sum(columns, axis=0))
