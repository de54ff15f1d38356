"""kill -9 in the middle of ingest and close: resending everything gives what one quiet run would have given."""

import os
import subprocess
import sys
import time

import pytest
from django.db import connection
from django.db.models import Sum

from alldata.embedded.postgres import USER
from alldata.kernel.intervals import HOUR_MS, Interval
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.selectors.prices import price_history
from costing.services.ledger import book_hour
from costing.services.metering import rate_hour
from monitoring.models import UsageFrame
from tests.fleet import AGENT, HOUR, LATER, gpu, take, window
from tests.inside.metering import WINDOWS, windows_of_test
from tests.world import home


def url_of_the_test_database() -> str:
    """The address of the database that pytest made."""
    known = connection.settings_dict
    return f"postgres://{known['USER'] or USER}:{known['PASSWORD']}@{known['HOST']}:{known['PORT']}/{known['NAME']}"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("after_s", [0.15, 0.4])
def test_a_killed_worker_loses_and_doubles_nothing(after_s: float) -> None:
    home()
    gpu()
    env = os.environ | {"DATABASE_URL": url_of_the_test_database(), "DJANGO_SETTINGS_MODULE": "alldata.settings"}
    worker = subprocess.Popen([sys.executable, "-m", "tests.inside.metering"], env=env, stdout=subprocess.PIPE)
    assert worker.stdout is not None and worker.stdout.readline() == b"begun\n"
    time.sleep(after_s)
    worker.kill()
    worker.communicate()
    for seq, span, q in windows_of_test():
        take(window(seq, span, q))
    book_hour(AGENT, HOUR, now_ms=LATER)
    assert UsageFrame.objects.count() == WINDOWS
    rows = LedgerEntry.objects.values_list("dimension", "bucket").annotate(q=Sum("q"), nano=Sum("nano"))
    booked = {(dimension, bucket): (int(q), int(nano)) for dimension, bucket, q, nano in rows if q or nano}
    rated = rate_hour(AGENT, Interval(HOUR, HOUR + HOUR_MS), price_history()).amounts
    assert booked == {(a.dimension, a.bucket.value): (n.q, n.nano) for a, n in rated.items() if n.q or n.nano}
    assert sum(nano for _, nano in booked.values()) == price_nano(12_500_000_000, Interval(HOUR, HOUR + HOUR_MS))
