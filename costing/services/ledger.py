"""Book a node-hour: append what its rating differs by from what is booked already.

One mechanism for provisional bookings, the close of an hour and late data. The advisory lock
makes racing bookers of one node-hour wait for each other; the second finds nothing to add. The
booking that closes an hour says so in the same transaction; what is booked for it later is marked
a correction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max, Sum

from alldata.kernel.intervals import HOUR_MS, Interval
from costing.models import LedgerEntry, NodeBooks
from costing.rating import Bucket
from costing.selectors.prices import price_history
from costing.services.capacity import ensure_supply
from costing.services.days import mark_day
from costing.services.entries import Entry, Stamp, append
from costing.services.metering import Account, Amount, Owner, RatedHour, rate_hour
from monitoring.selectors.streams import watermark

#: An hour closes this long after its end: what was lost meanwhile is looked at again, agents have caught up.
CLOSE_MS = 15 * 60_000
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))"


def book_hour(node: str, hour_ms: int, *, now_ms: int) -> int:
    """Bring one node-hour up to the node's watermark; returns how many entries were appended."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(LOCK, [f"ledger:{node}", hour_ms])
        reached = _reached(node, hour_ms)
        upto_ms = min(hour_ms + HOUR_MS, max(reached.upto_ms, watermark(node, now_ms=now_ms) or 0))
        if upto_ms <= hour_ms:
            return 0
        rated = _rated(node, Interval(hour_ms, upto_ms), now_ms=now_ms)
        booked = _booked(node, hour_ms) if reached.revision else {}
        entries = list(_deltas(rated, booked))
        if entries:
            mark_day(hour_ms, now_ms=now_ms)
            late = reached.revision > 0 and _is_closed(node, hour_ms)
            append(entries, Stamp(node, hour_ms, upto_ms, reached.revision + 1, now_ms, late))
        _note_progress(node, Interval(hour_ms, upto_ms), now_ms=now_ms)
    return len(entries)


def _rated(node: str, span: Interval, *, now_ms: int) -> RatedHour:
    """The hour's rating; a node whose capacity was never noted is looked at first."""
    history = price_history()
    rated = rate_hour(node, span, history)
    if not rated.amounts and ensure_supply(node, at_ms=now_ms):
        return rate_hour(node, span, history)
    return rated


@dataclass(frozen=True, slots=True)
class _Reached:
    """How far the node-hour is booked (0: not at all), and its latest revision."""

    upto_ms: int
    revision: int


def _reached(node: str, hour_ms: int) -> _Reached:
    rows = LedgerEntry.objects.filter(node=node, hour_ms=hour_ms)
    found = rows.aggregate(upto=Max("upto_ms"), revision=Max("revision"))
    return _Reached(found["upto"] or 0, found["revision"] or 0)


def _booked(node: str, hour_ms: int) -> dict[Account, Amount]:
    """The sums of what is booked, by account."""
    rows = (
        LedgerEntry.objects.filter(node=node, hour_ms=hour_ms)
        .values_list("device", "dimension", "bucket", "attempt_id", "price_version_id")
        .annotate(q=Sum("q"), nano=Sum("nano"))
    )
    return {
        Account(device, dimension, Bucket(bucket), attempt, version): Amount(int(q), int(nano))
        for device, dimension, bucket, attempt, version, q, nano in rows
    }


def _deltas(rated: RatedHour, booked: dict[Account, Amount]) -> Iterator[Entry]:
    """What is missing or too much, account by account, in a fixed order."""
    accounts = sorted(rated.amounts.keys() | booked.keys(), key=Account.order)
    for account in accounts:
        wanted, found = rated.amounts.get(account, Amount()), booked.get(account, Amount())
        if wanted != found:
            owner = rated.owners.get(account.attempt) or _former_owner(account.attempt) if account.attempt else None
            yield Entry(account, Amount(wanted.q - found.q, wanted.nano - found.nano), owner)


def _former_owner(attempt: UUID) -> Owner:
    """The owner that an earlier entry was booked under: its claim no longer reaches into the hour."""
    entry = LedgerEntry.objects.filter(attempt_id=attempt).latest("booked_ms")
    return Owner(UUID(str(entry.job_id)), UUID(str(entry.project_id)))


def _is_closed(node: str, hour_ms: int) -> bool:
    return NodeBooks.objects.filter(node=node, closed_until_ms__gt=hour_ms).exists()


def _note_progress(node: str, span: Interval, *, now_ms: int) -> None:
    """Move the end of the node's books when this hour continues them; close an hour that was whole before."""
    books, _ = NodeBooks.objects.select_for_update().get_or_create(node=node)
    was_whole = span.length_ms == HOUR_MS and (books.booked_until_ms or 0) >= span.end_ms
    books.booked_at_ms = max(books.booked_at_ms, now_ms)
    if books.booked_until_ms is None or span.start_ms <= books.booked_until_ms < span.end_ms:
        books.booked_until_ms = span.end_ms
    if books.closed_until_ms is None:
        books.closed_until_ms = span.start_ms
    if was_whole and now_ms >= span.end_ms + CLOSE_MS and books.closed_until_ms == span.start_ms:
        books.closed_until_ms = span.end_ms
    books.save(update_fields=["booked_at_ms", "booked_until_ms", "closed_until_ms"])
