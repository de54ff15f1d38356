"""How long are windows kept, and in which grain?

As they came for KEEP_DAYS, longer than any late window is accepted, so every correction is computed
from what was measured; then by minute, which comes to the same; after RETAIN_DAYS not at all. A
day is replaced or dropped as a whole: rows are never changed (the trigger refuses it).
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby

from django.db import connection, transaction
from psycopg2.extras import execute_values

from alldata.kernel.intervals import DAY_MS
from monitoring.frames import pack_columns, unpack_columns
from monitoring.frames.merging import by_minute
from monitoring.frames.reading import Window
from monitoring.services.partitions import LOCK, partition_name

KEEP_DAYS, RETAIN_DAYS = 40, 400
BY_MINUTE = "by minute"
NAME = re.compile(r"usage_frame_(\d{8})")
PARTITIONS = """
SELECT c.relname, COALESCE(obj_description(c.oid, 'pg_class'), '') FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'usage_frame'::regclass ORDER BY 1
"""
ROWS = """
SELECT agent, epoch, seq, start_ms, end_ms, recv_ms, body FROM {name} ORDER BY agent, epoch, start_ms, seq
"""
INSERT = "INSERT INTO {name} (agent, epoch, seq, start_ms, end_ms, recv_ms, attempts, body) VALUES %s"
TEMPLATE = "(%s, %s, %s, %s, %s, %s, %s::varchar[], %s)"


def tidy(*, now_ms: int, limit: int = 2) -> int:
    """Drop days that are too old, and merge some that are old; returns how many were touched."""
    today, touched = now_ms // DAY_MS, 0
    for name, note in _partitions():
        day = _day_of(name)
        if day is None:
            continue
        if day < today - RETAIN_DAYS:
            _drop(name)
        elif day < today - KEEP_DAYS and note != BY_MINUTE:
            merge_day(day)
        else:
            continue
        touched += 1
        if touched == limit:
            break
    return touched


def _partitions() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(PARTITIONS)
        return list(cursor.fetchall())


def _day_of(name: str) -> int | None:
    found = NAME.fullmatch(name)
    if found is None:
        return None
    return int(datetime.strptime(found.group(1), "%Y%m%d").replace(tzinfo=UTC).timestamp()) * 1000 // DAY_MS


def _drop(name: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        cursor.execute(f"ALTER TABLE usage_frame DETACH PARTITION {name}")
        cursor.execute(f"DROP TABLE {name}")


def merge_day(day: int) -> int:
    """Replace one day's windows by minutes; returns how many are left. A crash leaves the day as it was."""
    name = partition_name(day)
    made = f"{name}_new"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        cursor.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
        cursor.execute(f"CREATE TABLE {made} (LIKE usage_frame INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
        rows = list(_merged_rows(name))
        execute_values(cursor, INSERT.format(name=made), rows, template=TEMPLATE, page_size=500)
        cursor.execute(f"ALTER TABLE usage_frame DETACH PARTITION {name}")
        cursor.execute(f"DROP TABLE {name}")
        cursor.execute(f"ALTER TABLE {made} RENAME TO {name}")
        cursor.execute(
            f"ALTER TABLE usage_frame ATTACH PARTITION {name} FOR VALUES FROM (%s) TO (%s)",
            [day * DAY_MS, (day + 1) * DAY_MS],
        )
        cursor.execute(f"COMMENT ON TABLE {name} IS '{BY_MINUTE}'")
    return len(rows)


def _merged_rows(name: str) -> Iterator[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(ROWS.format(name=name))
        rows = cursor.fetchall()
    for (agent, epoch), mine in groupby(rows, lambda row: (row[0], row[1])):
        received: dict[int, int] = {}
        windows = []
        for _, _, seq, start_ms, end_ms, recv_ms, body in mine:
            received[seq] = recv_ms
            windows.append(Window(epoch, seq, start_ms, end_ms, unpack_columns(bytes(body))))
        for one in by_minute(windows):
            body = pack_columns(one.columns)
            recv_ms = received[one.seq]
            yield agent, epoch, one.seq, one.start_ms, one.end_ms, recv_ms, one.columns.attempts, body
