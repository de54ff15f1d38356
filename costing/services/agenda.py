"""Which node-hours are to be booked, and when? Marks are level-triggered and cheap to repeat.

A running job is booked every PACE_MS (less often in a large fleet), so that spend is seen to grow
without filling the ledger; the end of an attempt or of a claim, and late data, are booked at once.
A worker removes the mark first and reads usage afterwards: a frame that arrives in between
leaves a new mark, so nothing is missed.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection, transaction

from alldata.kernel.intervals import HOUR_MS
from costing.models import NodeBooks
from costing.services.evidence import attempt_id_of
from costing.services.ledger import CLOSE_MS, book_hour
from monitoring.selectors.frames import last_report
from monitoring.selectors.streams import first_frame_ms, watermarks
from scheduling.selectors.metering import allocations_between, attempts_of

PACE_MS = 10_000
IDLE_PACE_MS = 300_000
#: Each node's share of the booking: a fleet of a hundred nodes is booked every 50 s, one of a thousand every 5 min.
NODE_SHARE_MS = 500
URGENT_MS = 10_000
#: After a restart, what agents kept in their spools comes in before old hours are closed.
CLOSE_DELAY_MS = 60_000
MARK = """
INSERT INTO costing_dirtyhour (node, hour_ms, due_ms) VALUES (%s, %s, %s)
ON CONFLICT (node, hour_ms) DO UPDATE SET due_ms = LEAST(costing_dirtyhour.due_ms, EXCLUDED.due_ms)
"""
TAKE = """
DELETE FROM costing_dirtyhour WHERE id = (
    SELECT id FROM costing_dirtyhour WHERE due_ms <= %s
    ORDER BY hour_ms, node LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING node, hour_ms
"""


def work_off(*, now_ms: int, limit: int = 500) -> int:
    """Book what is due, each node-hour in its own transaction; returns how many."""
    done = 0
    while done < limit and _book_next(now_ms=now_ms):
        done += 1
    return done


def _book_next(*, now_ms: int) -> bool:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(TAKE, [now_ms])
            taken = cursor.fetchone()
        if taken is None:
            return False
        node, hour_ms = taken
        book_hour(node, hour_ms, now_ms=now_ms)
    return True


def mark(node: str, from_ms: int, to_ms: int, *, due_ms: int) -> None:
    """Note that the hours touched by [from_ms, to_ms] may differ from the books."""
    first = max(0, from_ms) // HOUR_MS * HOUR_MS
    with connection.cursor() as cursor:
        for hour_ms in range(first, to_ms + 1, HOUR_MS):
            cursor.execute(MARK, [node, hour_ms, due_ms])


def pace_ms(nodes: int) -> int:
    """Between two bookings of a node whose jobs run on: entries grow with the fleet, not with its square."""
    return min(IDLE_PACE_MS, max(PACE_MS, nodes * NODE_SHARE_MS))


def note_usage(node: str, start_ms: int, end_ms: int, attempts: Iterable[str], *, now_ms: int) -> bool:
    """A frame was stored: mark what it changes. True when something is due now."""
    books = NodeBooks.objects.filter(node=node).first() or NodeBooks(node=node, urgent_until_ms=now_ms + 1)
    booked_ms = start_ms if books.booked_until_ms is None else books.booked_until_ms
    late = end_ms <= booked_ms
    claims = allocations_between(min(booked_ms, start_ms), end_ms, node=node)
    if not claims and not late:
        return False
    ended = any(claim.end_ms is not None for claim in claims)
    urgent = late or ended or books.urgent_until_ms > now_ms
    due_ms = now_ms if urgent else max(now_ms, books.booked_at_ms + pace_ms(NodeBooks.objects.count()))
    mark(node, _since(node, start_ms, attempts) - 2 * (end_ms - start_ms), end_ms - 1, due_ms=due_ms)
    return due_ms <= now_ms


def _since(node: str, start_ms: int, attempts: Iterable[str]) -> int:
    """A report speaks of all time since the one before it, or since its claim: hours back, perhaps."""
    since = [start_ms]
    for attempt in attempts:
        before = last_report(node, attempt, before_ms=start_ms)
        attempt_id = attempt_id_of(attempt)
        if before is not None:
            since.append(before.end_ms)
        elif attempt_id is not None:
            since += [c.start_ms for c in allocations_between(0, start_ms, attempt_ids=[attempt_id])]
    return min(since)


def note_end(job_id: UUID, *, now_ms: int) -> None:
    """A job or one of its attempts ended: book its nodes frame by frame for a while."""
    attempts = attempts_of(job_id)
    for attempt in attempts:
        mark(attempt.node, attempt.created_ms, min(now_ms, attempt.ended_ms or now_ms), due_ms=now_ms)
    for node in sorted({attempt.node for attempt in attempts}):
        _be_urgent(node, now_ms=now_ms)


def note_change(node: str, *, now_ms: int) -> None:
    """Claims or supply of the node changed: book it at once, and each frame of the next seconds."""
    mark(node, now_ms - URGENT_MS, now_ms, due_ms=now_ms)
    _be_urgent(node, now_ms=now_ms)


def _be_urgent(node: str, *, now_ms: int) -> None:
    """Always after the marks: a booker holds a removed mark first and the node's row second."""
    NodeBooks.objects.get_or_create(node=node)
    until_ms = now_ms + URGENT_MS
    NodeBooks.objects.filter(node=node, urgent_until_ms__lt=until_ms).update(urgent_until_ms=until_ms)


def mark_open(*, now_ms: int) -> None:
    """What time alone makes due: every node now and then, jobs or not, and hours that close."""
    books = {row.node: row for row in NodeBooks.objects.all()}
    for node, known_ms in watermarks(now_ms=now_ms).items():
        row = books.get(node)
        booked_ms = row.booked_until_ms if row else None
        if booked_ms is None:
            booked_ms = first_frame_ms(node) or known_ms
        crossed = known_ms // HOUR_MS > booked_ms // HOUR_MS
        if crossed or known_ms - booked_ms >= IDLE_PACE_MS or row is None:
            mark(node, booked_ms, known_ms - 1, due_ms=now_ms)
        if row is not None:
            _close_hours(row, booked_ms, now_ms=now_ms)


def _close_hours(books: NodeBooks, booked_ms: int, *, now_ms: int) -> None:
    """Book each hour once more when it is CLOSE_MS old, whatever facts were lost in between: that closes it."""
    closed_ms = books.closed_until_ms if books.closed_until_ms is not None else booked_ms // HOUR_MS * HOUR_MS
    until_ms = min(now_ms - CLOSE_MS, booked_ms) // HOUR_MS * HOUR_MS
    if until_ms > closed_ms:
        mark(books.node, closed_ms, until_ms - 1, due_ms=now_ms + CLOSE_DELAY_MS)
