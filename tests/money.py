"""What is booked, and for whom: short words for tests of money over the hour of tests.fleet."""

from django.contrib.auth.models import User
from django.db.models import Sum

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from tests.fleet import HOUR

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
#: HBM bandwidth carries 0.6 of the 12.5 an hour of tests.fleet.PRICES.
HBM_RATE = 7_500_000_000


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
