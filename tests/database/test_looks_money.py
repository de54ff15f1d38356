"""Does the bill depend on how often somebody looked (E10)?"""

from collections.abc import Sequence

from django.db.models import Sum

from alldata.agent.wire import Frame
from alldata.kernel.intervals import Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.services.ledger import book_hour
from scheduling.models import Device, Job
from tests.fleet import AGENT, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.money import HBM_RATE, WHOLE

SECOND = 1000


def worked(viewer: Viewer, device: Device, span: Interval = WHOLE) -> Job:
    """A job that holds the whole card."""
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id, span=span)
    holds(attempt(row, device), device, HBM, span)
    return row


def book(now_ms: int = LATER) -> int:
    return book_hour(AGENT, HOUR, now_ms=now_ms)


def booked(value: str = "nano", **where: object) -> dict[str, int]:
    rows = LedgerEntry.objects.filter(dimension="hbm_bandwidth", **where).values_list("bucket").annotate(n=Sum(value))
    return {bucket: int(n) for bucket, n in rows if n}


def looks(spans: Sequence[tuple[int, int]]) -> list[Frame]:
    """One window a look, in seconds of the hour: the card is busy in every even minute."""
    found = []
    for seq, (start, end) in enumerate(spans):
        q = sum(HBM * SECOND for second in range(start, end) if second // 60 % 2 == 0)
        found.append(window(seq, Interval(HOUR + start * SECOND, HOUR + end * SECOND), q))
    return found


def test_looking_every_second_then_every_five_costs_what_looking_once_costs(viewer: Viewer) -> None:
    """E10: the interval changes in the middle of the job; the integrals are the same."""
    worked(viewer, gpu(), Interval(HOUR, HOUR + 240 * SECOND))
    often = [(s, s + 1) for s in range(120)] + [(s, s + 5) for s in range(120, 240, 5)]
    take(*looks(often), window(999, Interval(HOUR + 240 * SECOND, WHOLE.end_ms), 0))
    book()
    assert booked("q", bucket="used") == {"used": HBM * 120 * SECOND}
    assert booked("nano", bucket="used") == {"used": price_nano(HBM_RATE, Interval(HOUR, HOUR + 240 * SECOND)) // 2}
