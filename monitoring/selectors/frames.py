"""Which stored windows lie in a span, and which speak of an attempt? Platform-internal."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import connection

from alldata.kernel.intervals import Interval
from monitoring.frames import Columns, StoredFrame, unpack, unpack_attempts, unpack_columns
from monitoring.models import UsageFrame

MAX_WINDOW_MS = 3_600_000
REPORTED = """
SELECT DISTINCT key FROM usage_frame, unnest(attempts) AS key
WHERE agent = %s AND attempts && %s::varchar[] AND key = ANY(%s::varchar[])
"""


@dataclass(frozen=True, slots=True)
class StoredWindow:
    """One stored window of one agent, as columns; `body` is what it was read from."""

    agent: str
    epoch: str
    seq: int
    span: Interval
    columns: Columns
    body: bytes

    def frame(self) -> StoredFrame:
        """The same with an object a value, for the few who want that."""
        whole = (self.agent, self.epoch, self.seq, self.span.start_ms, self.span.end_ms)
        return StoredFrame(*whole, *unpack(self.body))


def windows_between(agent: str, start_ms: int, end_ms: int) -> list[StoredWindow]:
    """The agent's windows that overlap the span, by time."""
    rows = UsageFrame.objects.filter(
        agent=agent, end_ms__gt=start_ms, start_ms__lt=end_ms, start_ms__gt=start_ms - MAX_WINDOW_MS
    ).order_by("start_ms", "epoch", "seq")
    return [
        StoredWindow(agent, epoch, seq, Interval(first, last), unpack_columns(bytes(body)), bytes(body))
        for epoch, seq, first, last, body in rows.values_list("epoch", "seq", "start_ms", "end_ms", "body")
    ]


def reported(agent: str, attempts: Collection[str]) -> set[str]:
    """Those of the attempts that any stored window of the agent names."""
    if not attempts:
        return set()
    keys = sorted(attempts)
    with connection.cursor() as cursor:
        cursor.execute(REPORTED, [agent, keys, keys])
        return {key for (key,) in cursor.fetchall()}


def reports_between(agent: str, attempt: str, start_ms: int, end_ms: int) -> list[StoredFrame]:
    """The frames that name the attempt and overlap the span, by time; their devices are left out."""
    rows = UsageFrame.objects.filter(
        agent=agent,
        attempts__contains=[attempt],
        end_ms__gt=start_ms,
        start_ms__lt=end_ms,
        start_ms__gt=start_ms - MAX_WINDOW_MS,
    ).order_by("start_ms", "epoch", "seq")
    return [
        StoredFrame(row.agent, row.epoch, row.seq, row.start_ms, row.end_ms, (), unpack_attempts(bytes(row.body)))
        for row in rows.iterator()
    ]


def last_report(agent: str, attempt: str, *, before_ms: int) -> StoredFrame | None:
    """The newest frame that names the attempt and ends no later than `before_ms`."""
    rows = UsageFrame.objects.filter(agent=agent, end_ms__lte=before_ms, attempts__contains=[attempt])
    return next(iter(_unpacked(rows.order_by("-end_ms")[:1])), None)


def next_report(agent: str, attempt: str, *, after_ms: int) -> StoredFrame | None:
    """The first frame that names the attempt and starts at or after `after_ms`."""
    rows = UsageFrame.objects.filter(agent=agent, start_ms__gte=after_ms, attempts__contains=[attempt])
    return next(iter(_unpacked(rows.order_by("start_ms", "epoch", "seq")[:1])), None)


def _unpacked(rows: Iterable[UsageFrame]) -> list[StoredFrame]:
    return [
        StoredFrame(row.agent, row.epoch, row.seq, row.start_ms, row.end_ms, *unpack(bytes(row.body))) for row in rows
    ]
