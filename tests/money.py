"""What is booked, and for whom: short words for tests of money over the hour of tests.fleet."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db.models import Sum

from alldata.agent.wire import Frame
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.services.ledger import book_hour
from scheduling.models import Device, Job
from tests.fleet import AGENT, HBM, HOUR, LATER, attempt, holds, job, window

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
#: HBM bandwidth carries 0.6 of the 12.5 an hour of tests.fleet.PRICES.
HBM_RATE = 7_500_000_000
SECOND = 1000


def tenant() -> Viewer:
    """An administrator of the default organisation, without profiles."""
    made = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    return viewer_of_user(User.objects.get(pk=made.user_id))


def nano(**where: object) -> int:
    """What is booked of these entries."""
    return int(LedgerEntry.objects.filter(**where).aggregate(n=Sum("nano"))["n"] or 0)


def quantity(**where: object) -> int:
    """The booked integral of HBM bandwidth."""
    return int(LedgerEntry.objects.filter(dimension="hbm_bandwidth", **where).aggregate(n=Sum("q"))["n"] or 0)


def worked(viewer: Viewer, device: Device, span: Interval = WHOLE) -> Job:
    """A job that holds the whole card."""
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id, span=span)
    holds(attempt(row, device), device, HBM, span)
    return row


def book(now_ms: int = LATER) -> int:
    """Book the hour; how many entries that took."""
    return book_hour(AGENT, HOUR, now_ms=now_ms)


def booked(value: str = "nano", **where: object) -> dict[str, int]:
    """HBM bandwidth by bucket, empty ones left out."""
    rows = LedgerEntry.objects.filter(dimension="hbm_bandwidth", **where).values_list("bucket").annotate(n=Sum(value))
    return {bucket: int(n) for bucket, n in rows if n}


def looks(spans: Sequence[tuple[int, int]]) -> list[Frame]:
    """One window a look, in seconds of the hour: the card is busy in every even minute."""
    found = []
    for seq, (start, end) in enumerate(spans):
        q = sum(HBM * SECOND for second in range(start, end) if second // 60 % 2 == 0)
        found.append(window(seq, Interval(HOUR + start * SECOND, HOUR + end * SECOND), q))
    return found
