"""Take windows in: at least once from the wire, exactly once in the table.

(agent, epoch, seq) names a window for ever. The stream row is locked while windows of its epoch
are taken in, so the end of what was received without a gap is exact whatever the order of
arrival; windows that simply follow take a shorter way (following.py). One post and the bulk path
(a spool after an outage, an import) are the same function: one lock, one insert, one fact for all
windows of an epoch. Next: costing/handlers.py, which hears of what was stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import connection, transaction
from psycopg2.extras import execute_values

from alldata.agent.wire import Frame
from alldata.kernel.events import UsageRecorded
from alldata.outbox.publish import publish
from monitoring.errors import BadFrameTime, FrameOverlaps
from monitoring.frames import pack_columns
from monitoring.frames.reading import Window, window_of
from monitoring.services.following import take_following
from monitoring.services.partitions import ensure_partition
from monitoring.services.stream import Stream, lock_stream, save_stream, take_early

MAX_FUTURE_MS = 5 * 60_000
MAX_AGE_MS = 35 * 86_400_000
MAX_WINDOW_MS = 3_600_000
WAKE_EVERY_MS = 100
INSERT = """
INSERT INTO usage_frame (agent, epoch, seq, start_ms, end_ms, recv_ms, attempts, body)
VALUES %s ON CONFLICT DO NOTHING RETURNING seq
"""


@dataclass(slots=True)
class Taken:
    """What became of the windows of one delivery; `refused` by sequence number."""

    stored: int = 0
    duplicates: int = 0
    refused: dict[int, BadFrameTime | FrameOverlaps] = field(default_factory=dict)


def ingest_frame(frame: Frame, *, agent: str, now_ms: int) -> bool:
    """Store a frame; False when it was stored before. Errors: BadFrameTime, FrameOverlaps."""
    return ingest_window(window_of(frame), agent=agent, now_ms=now_ms)


def ingest_window(window: Window, *, agent: str, now_ms: int) -> bool:
    """Store one window; False when it was stored before. Errors: BadFrameTime, FrameOverlaps."""
    taken = ingest_windows([window], agent=agent, now_ms=now_ms)
    for refusal in taken.refused.values():
        raise refusal
    return bool(taken.stored)


def ingest_windows(windows: Sequence[Window], *, agent: str, now_ms: int) -> Taken:
    """Store windows of one agent, each epoch in one transaction; a refused window stops no other."""
    taken = Taken()
    by_epoch: dict[str, list[Window]] = {}
    for window in windows:
        reason = impossible_time(window, now_ms=now_ms)
        if reason:
            taken.refused[window.seq] = BadFrameTime(reason, window.start_ms, window.end_ms, now_ms)
        else:
            by_epoch.setdefault(window.epoch, []).append(window)
    for epoch, mine in by_epoch.items():
        _take_epoch(epoch, sorted(mine, key=lambda w: w.seq), taken, agent=agent, now_ms=now_ms)
    return taken


def impossible_time(window: Window, *, now_ms: int) -> str:
    """Why the window can be no usage, "" when it can: garbage must not reach a bill."""
    if window.end_ms <= window.start_ms:
        return "it has no length"
    if window.end_ms > now_ms + MAX_FUTURE_MS:
        return "it ends more than 5 minutes in the future"
    if window.start_ms < now_ms - MAX_AGE_MS:
        return "it is older than 35 days"
    return "it is longer than an hour" if window.end_ms - window.start_ms > MAX_WINDOW_MS else ""


def _take_epoch(epoch: str, windows: list[Window], taken: Taken, *, agent: str, now_ms: int) -> None:
    bodies = {window.seq: pack_columns(window.columns) for window in windows}
    wake = _wakes(now_ms)
    if take_following(windows, bodies, _fact(windows, agent=agent), now_ms=now_ms, wake=wake):
        taken.stored += len(windows)
        return
    with transaction.atomic():
        stream = lock_stream(agent, epoch, windows, bodies)
        for start_ms in stream.days_missing:
            ensure_partition(start_ms)
        fitting = _fitting(stream, windows, taken, agent=agent)
        stored = set(_insert(fitting, bodies, agent=agent, now_ms=now_ms)) if fitting else set()
        taken.stored += len(stored)
        taken.duplicates += len(windows) - len(stored) - sum(w.seq in taken.refused for w in windows)
        new = [window for window in fitting if window.seq in stored]
        if new:
            _advance(stream, new, bodies, now_ms=now_ms)
            publish(_fact(new, agent=agent), now_ms=now_ms, wake=wake)


def _fitting(stream: Stream, windows: list[Window], taken: Taken, *, agent: str) -> list[Window]:
    """The windows that may be new, one a sequence number; overlapping ones are refused."""
    fitting: dict[int, Window] = {}
    closed_seq, closed_ms = stream.closed_seq, stream.closed_ms
    for window in windows:
        if (not stream.is_new and stream.first_seq <= window.seq <= stream.closed_seq) or window.seq in fitting:
            continue
        if window.seq > closed_seq and window.start_ms < closed_ms:
            taken.refused[window.seq] = FrameOverlaps(agent, window.seq, window.start_ms, closed_ms)
            continue
        fitting[window.seq] = window
        if window.seq == closed_seq + 1:
            closed_seq, closed_ms = window.seq, window.end_ms
    return list(fitting.values())


def _insert(windows: list[Window], bodies: dict[int, bytes], *, agent: str, now_ms: int) -> list[int]:
    rows = [(agent, w.epoch, w.seq, w.start_ms, w.end_ms, now_ms, w.columns.attempts, bodies[w.seq]) for w in windows]
    template = "(%s, %s, %s, %s, %s, %s, %s::varchar[], %s)"
    with connection.cursor() as cursor:
        found = execute_values(cursor, INSERT, rows, template=template, page_size=500, fetch=True)
        return [seq for (seq,) in found]


def _advance(stream: Stream, windows: list[Window], bodies: dict[int, bytes], *, now_ms: int) -> None:
    """Move the stream's ends: newest by arrival, closed by what has no gap before it."""
    live: tuple[int, bytes] | None = None
    for window in windows:
        stream.first_ms = min(stream.first_ms, window.start_ms)
        if window.end_ms >= stream.newest_ms:
            stream.newest_seq, stream.newest_ms = window.seq, window.end_ms
            live = window.start_ms, bodies[window.seq]
        if window.seq == stream.closed_seq + 1:
            stream.closed_seq, stream.closed_ms = window.seq, window.end_ms
    if stream.newest_seq > stream.closed_seq:
        take_early(stream)
    behind = stream.newest_seq > stream.closed_seq
    stream.gap_since_ms = (stream.gap_since_ms or now_ms) if behind else None
    save_stream(stream, live)


def _fact(windows: list[Window], *, agent: str) -> UsageRecorded:
    keys = tuple(sorted({key for window in windows for key in window.columns.attempts}))
    first, last = min(w.start_ms for w in windows), max(w.end_ms for w in windows)
    return UsageRecorded(agent, first, last, keys)


_woken_ms = [0]


def _wakes(now_ms: int) -> bool:
    """Wake the relay at most every WAKE_EVERY_MS a process: under load it is awake anyway."""
    due = abs(now_ms - _woken_ms[0]) >= WAKE_EVERY_MS
    if due:
        _woken_ms[0] = now_ms
    return due
