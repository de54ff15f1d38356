"""Cards that several share, where something is told of single attempts (E5): never more than the card did."""

from uuid import UUID

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from tests.cards import book, booked, tenants
from tests.fleet import GPU, HBM, HOUR, gpu, take
from tests.money import HALF, WHOLE


def told(seq: int, span: Interval, whole: int, of: dict[UUID, int | None]) -> Frame:
    """A window with what the card did, and what was told of single attempts (None: nobody knows)."""
    card = DeviceUsage(GPU, {"hbm_bandwidth": Usage(whole, "driver", "measured")})
    mine = tuple(AttemptUsage(str(key), GPU, {"hbm_bandwidth": usage(q)}) for key, q in of.items())
    return Frame("boot:1", seq, span.start_ms, span.end_ms, (card,), mine)


def usage(q: int | None) -> Usage:
    return Usage(q, "driver", "missing" if q is None else "measured", reason="shared_card" if q is None else None)


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
