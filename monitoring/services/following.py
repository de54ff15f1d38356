"""Do these windows simply follow what has been received? Then one statement takes them in, whole or not at all.

That is what an agent sends nearly always, so it is the fast way: one trip to the database, which
moves the stream's end on condition that it is where the first window expects it, and stores windows
and fact beside. Anything else (a first window, a repeat, a gap, a day without a table) changes
nothing here and goes the patient way (ingest.py), which knows what to answer.
"""

from collections.abc import Sequence
from itertools import pairwise

from django.db import connection

from alldata.kernel.events import UsageRecorded
from alldata.kernel.intervals import DAY_MS
from alldata.outbox.publish import as_arguments, wake_after_commit
from monitoring.frames.reading import MAX_KEY, Window
from monitoring.services.partitions import partition_name

TAKE = "SELECT take_next_windows(%s::usage_frame[], %s::text[], %s::uuid, %s, %s::jsonb, %s::text[], %s::uuid[])"


def take_following(
    windows: Sequence[Window], bodies: dict[int, bytes], fact: UsageRecorded, *, now_ms: int, wake: bool
) -> bool:
    """Store windows of one epoch, in order; False when they do not follow and nothing has changed."""
    if not _follow_one_another(windows) or any(len(key) > MAX_KEY for key in fact.attempts):
        return False
    rows = [
        (fact.agent, w.epoch, w.seq, w.start_ms, w.end_ms, now_ms, w.columns.attempts, bodies[w.seq]) for w in windows
    ]
    days = sorted({partition_name(window.start_ms // DAY_MS) for window in windows})
    told = as_arguments(fact)
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [rows, days, *told])
        taken = bool(cursor.fetchone()[0])
    if taken and wake:
        wake_after_commit()
    return taken


def _follow_one_another(windows: Sequence[Window]) -> bool:
    return all(a.seq + 1 == b.seq and a.end_ms <= b.start_ms for a, b in pairwise(windows))
