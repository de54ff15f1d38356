"""Cards that several share, where something is told of single attempts (E5): never more than the card did."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Sum

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.services.ledger import book_hour
from scheduling.models import Attempt, Device
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, attempt, gpu, holds, job, take
from tests.money import HALF, WHOLE


def tenants(viewer: Viewer, device: Device, held: Sequence[tuple[int, Interval]]) -> list[Attempt]:
    """One job each, holding an amount of HBM bandwidth over a span."""
    assert viewer.default_project_id is not None
    found = []
    for number, (amount, span) in enumerate(held, start=1):
        row = attempt(job(viewer.default_project_id, viewer.organisation_id, number), device)
        holds(row, device, amount, span)
        found.append(row)
    return found


def told(seq: int, span: Interval, whole: int, of: dict[UUID, int | None]) -> Frame:
    """A window with what the card did, and what was told of single attempts (None: nobody knows)."""
    card = DeviceUsage(GPU, {"hbm_bandwidth": Usage(whole, "driver", "measured")})
    mine = tuple(AttemptUsage(str(key), GPU, {"hbm_bandwidth": usage(q)}) for key, q in of.items())
    return Frame("boot:1", seq, span.start_ms, span.end_ms, (card,), mine)


def usage(q: int | None) -> Usage:
    return Usage(q, "driver", "missing" if q is None else "measured", reason="shared_card" if q is None else None)


def book(node: str = AGENT) -> None:
    book_hour(node, HOUR, now_ms=LATER)


def booked(value: str = "q", **where: object) -> dict[tuple[str, UUID | None], int]:
    where = {"dimension": "hbm_bandwidth"} | where
    rows = LedgerEntry.objects.filter(**where).values_list("bucket", "attempt_id").annotate(n=Sum(value))
    return {(bucket, attempt_id): int(n) for bucket, attempt_id, n in rows if n}


def test_a_burst_above_ones_share_is_taken_from_the_others_idle(viewer: Viewer) -> None:
    """Under MPS single processes may be told apart: 0.7 and 0.1 of a card of which each holds a half."""
    loud, quiet = tenants(viewer, gpu(hbm=1000), [(500, WHOLE), (500, WHOLE)])
    take(told(0, WHOLE, 800 * HOUR_MS, {loud.id: 700 * HOUR_MS, quiet.id: 100 * HOUR_MS}))
    book()
    assert booked() == {
        ("used", loud.id): 700 * HOUR_MS,
        ("used", quiet.id): 100 * HOUR_MS,
        ("allocated_idle", quiet.id): 200 * HOUR_MS,
    }


def test_more_told_of_attempts_than_the_card_did_is_never_billed(viewer: Viewer) -> None:
    a, b = tenants(viewer, gpu(), [(HBM // 2, WHOLE), (HBM // 2, WHOLE)])
    take(told(0, WHOLE, 300 * HOUR_MS, {a.id: 400 * HOUR_MS, b.id: 200 * HOUR_MS}))
    book()
    assert booked(bucket="used") == {("used", a.id): 200 * HOUR_MS, ("used", b.id): 100 * HOUR_MS}


def test_an_hour_alone_and_then_shared_is_divided_where_it_was_shared(viewer: Viewer) -> None:
    """The agent tells of the one who has the card alone; when another comes it can tell of nobody."""
    first, second = tenants(viewer, gpu(), [(HBM // 2, WHOLE), (HBM // 2, Interval(HALF, WHOLE.end_ms))])
    busy = 100 * (HOUR_MS // 2)
    take(told(0, Interval(HOUR, HALF), busy, {first.id: busy}))
    take(told(1, Interval(HALF, WHOLE.end_ms), busy, {first.id: None, second.id: None}))
    book()
    assert booked(bucket="used") == {("used", first.id): busy + busy // 2, ("used", second.id): busy // 2}
    assert booked(bucket="unmetered") == booked(bucket="system") == {}
