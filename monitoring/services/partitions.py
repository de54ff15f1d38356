"""Is there a table for this day's frames? Made ahead by a task, and on demand at ingest.

A partition is made apart and then attached: attaching lets inserts into other days go on.
The advisory lock makes racing creators wait for one another.
"""

from datetime import UTC, datetime

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from alldata.kernel.intervals import DAY_MS

LOCK = 0x75736167655F6461  # "usage_da"
DAYS_AHEAD = 3


def partition_name(day: int) -> str:
    """The table of one UTC day, counted from the epoch."""
    return f"usage_frame_{datetime.fromtimestamp(day * DAY_MS / 1000, UTC):%Y%m%d}"


def ensure_partition(start_ms: int) -> bool:
    """Make the day partition that `start_ms` falls into; True when it was missing."""
    day = start_ms // DAY_MS
    name = partition_name(day)
    with transaction.atomic(), connection.cursor() as cursor:
        if _exists(cursor, name):
            return False
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        if _exists(cursor, name):
            return False
        cursor.execute(f"CREATE TABLE {name} (LIKE usage_frame INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
        cursor.execute(
            f"ALTER TABLE usage_frame ATTACH PARTITION {name} FOR VALUES FROM (%s) TO (%s)",
            [day * DAY_MS, (day + 1) * DAY_MS],
        )
    return True


def ensure_partitions_ahead(*, now_ms: int) -> int:
    """Today and the next days; returns how many were made."""
    return sum(ensure_partition(now_ms + days * DAY_MS) for days in range(DAYS_AHEAD + 1))


def _exists(cursor: CursorWrapper, name: str) -> bool:
    cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [name])
    return bool(cursor.fetchone()[0])
