"""The row that says how far an epoch of an agent has been received, locked while it changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from alldata.kernel.intervals import DAY_MS
from monitoring.frames.reading import Window
from monitoring.models import UsageFrame
from monitoring.services.partitions import partition_name

SELECT = """
SELECT id, first_seq, first_ms, closed_seq, closed_ms, newest_seq, newest_ms, gap_since_ms,
       ARRAY(SELECT day FROM unnest(%s::text[], %s::bigint[]) AS asked(name, day) WHERE to_regclass(name) IS NULL)
FROM monitoring_agentstream WHERE agent = %s AND epoch = %s FOR UPDATE
"""
ENDS = (
    "id",
    "first_seq",
    "first_ms",
    "closed_seq",
    "closed_ms",
    "newest_seq",
    "newest_ms",
    "gap_since_ms",
    "days_missing",
)
BEGIN = """
INSERT INTO monitoring_agentstream (agent, epoch, first_seq, first_ms, closed_seq, closed_ms, newest_seq, newest_ms,
    live_start_ms, live) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING 1
"""
UPDATE = """
UPDATE monitoring_agentstream SET first_ms = %s, closed_seq = %s, closed_ms = %s, newest_seq = %s, newest_ms = %s,
    gap_since_ms = %s, live_start_ms = COALESCE(%s, live_start_ms), live = COALESCE(%s, live) WHERE id = %s
"""


@dataclass(slots=True)
class Stream:
    """The locked row. `days_missing`: start of windows whose day has no partition yet."""

    id: int
    agent: str
    epoch: str
    first_seq: int
    first_ms: int
    closed_seq: int
    closed_ms: int
    newest_seq: int
    newest_ms: int
    gap_since_ms: int | None
    days_missing: list[int]
    is_new: bool = False


def lock_stream(agent: str, epoch: str, windows: Sequence[Window], bodies: Mapping[int, bytes]) -> Stream:
    """The row of the epoch, made by its first window."""
    days = sorted({window.start_ms // DAY_MS for window in windows})
    asked: list[Any] = [[partition_name(day) for day in days], [day * DAY_MS for day in days], agent, epoch]
    with connection.cursor() as cursor:
        cursor.execute(SELECT, asked)
        row, is_new = cursor.fetchone(), False
        if row is None:
            first = windows[0]
            mine = (first.seq, first.start_ms, first.seq, first.end_ms, first.seq, first.end_ms)
            cursor.execute(BEGIN, [agent, epoch, *mine, first.start_ms, bodies[first.seq]])
            is_new = cursor.fetchone() is not None
            cursor.execute(SELECT, asked)
            row = cursor.fetchone()
    ends = dict(zip(ENDS, row, strict=True))
    return Stream(agent=agent, epoch=epoch, is_new=is_new, **ends)


def take_early(stream: Stream) -> None:
    """Take up the windows that had arrived before the gap in front of them was filled."""
    early = UsageFrame.objects.filter(
        agent=stream.agent, epoch=stream.epoch, seq__gt=stream.closed_seq, start_ms__gte=stream.closed_ms
    )
    for seq, end_ms in early.order_by("seq").values_list("seq", "end_ms"):
        if seq != stream.closed_seq + 1:
            break
        stream.closed_seq, stream.closed_ms = seq, end_ms


def save_stream(stream: Stream, live: tuple[int, bytes] | None) -> None:
    """Write the row back; `live` is the newest window's start and body when there is a newer one."""
    ends = (stream.first_ms, stream.closed_seq, stream.closed_ms, stream.newest_seq, stream.newest_ms)
    with connection.cursor() as cursor:
        cursor.execute(UPDATE, [*ends, stream.gap_since_ms, *(live or (None, None)), stream.id])
