"""What if the database dies, a worker dies between reading and writing, or the broker forgets (E9)?"""

import os
import signal
import subprocess
import sys
import time

import psycopg2
import pytest
import redis
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import Sum

from alldata.kernel.intervals import DAY_MS, HOUR_MS, Interval
from costing.models import DirtyHour, LedgerEntry, SpendDay
from costing.rating import price_nano
from costing.selectors.prices import price_history
from costing.services.agenda import mark, note_usage, work_off
from costing.services.days import sum_day, sum_due_days
from costing.services.ledger import book_hour
from costing.services.metering import rate_hour
from monitoring.models import UsageFrame
from tests.database.test_kills import url_of_the_test_database
from tests.fleet import AGENT, HBM, HOUR, LATER, gpu, take, window
from tests.inside.metering import WINDOWS, windows_of_test
from tests.services import Services
from tests.world import home

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
DIES = """
CREATE FUNCTION pg_temp.dies() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'dies here'; END $$;
CREATE TRIGGER dies BEFORE INSERT ON ledger_entry FOR EACH ROW EXECUTE FUNCTION pg_temp.dies();
"""


def booked() -> dict[tuple[str, str], tuple[int, int]]:
    rows = LedgerEntry.objects.values_list("dimension", "bucket").annotate(q=Sum("q"), nano=Sum("nano"))
    return {(dimension, bucket): (int(q), int(nano)) for dimension, bucket, q, nano in rows if q or nano}


def rated() -> dict[tuple[str, str], tuple[int, int]]:
    found = rate_hour(AGENT, WHOLE, price_history()).amounts
    return {(a.dimension, a.bucket.value): (n.q, n.nano) for a, n in found.items() if n.q or n.nano}


def backend_of(worker: subprocess.Popen[bytes]) -> int:
    """The server process that works for the worker: the one session that is not ours."""
    query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    for _ in range(200):
        with connection.cursor() as cursor:
            cursor.execute(query)
            found = cursor.fetchone()
        if found is not None:
            return int(found[0])
        assert worker.poll() is None
        time.sleep(0.02)
    raise AssertionError("the worker never came to the database")


def recovered() -> None:
    """Wait until the server has replayed its log and takes queries again."""
    for _ in range(300):
        connection.close()
        try:
            connection.ensure_connection()
        except OperationalError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not come back")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_dies_in_the_middle_loses_and_doubles_nothing(services: Services | None) -> None:
    """kill -9 of a server process makes PostgreSQL drop its memory and replay its log; then all is sent again."""
    if services is None:
        pytest.skip("the server is not ours to kill")
    home()
    gpu()
    env = os.environ | {"DATABASE_URL": url_of_the_test_database(), "DJANGO_SETTINGS_MODULE": "alldata.settings"}
    command = [sys.executable, "-m", "tests.inside.metering"]
    worker = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert worker.stdout is not None and worker.stdout.readline() == b"begun\n"
    backend = backend_of(worker)
    time.sleep(0.3)
    os.kill(backend, signal.SIGKILL)
    worker.communicate(timeout=60)
    recovered()
    assert worker.returncode != 0
    take(*(window(seq, span, q) for seq, span, q in windows_of_test()))
    book_hour(AGENT, HOUR, now_ms=LATER)
    assert UsageFrame.objects.count() == WINDOWS
    assert booked() == rated()
    assert sum(nano for _, nano in booked().values()) == price_nano(12_500_000_000, WHOLE)


def test_a_worker_that_dies_between_reading_and_writing_leaves_its_mark() -> None:
    """What is rated cannot be written down: the mark is there again, and a booking later is whole."""
    gpu()
    take(window(0, WHOLE, HBM * HOUR_MS // 3))
    mark(AGENT, HOUR, HOUR, due_ms=LATER)
    with pytest.raises(psycopg2.DatabaseError, match="dies here"), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(DIES)
        work_off(now_ms=LATER)
    assert (DirtyHour.objects.count(), LedgerEntry.objects.count()) == (1, 0)
    assert work_off(now_ms=LATER) == 1
    assert booked() == rated()


def test_a_broker_that_forgets_everything_costs_nothing() -> None:
    """Wake-ups are lost, marks are not: they are rows beside what they speak of."""
    gpu()
    take(window(0, WHOLE, HBM * HOUR_MS // 3), now_ms=WHOLE.end_ms)
    note_usage(AGENT, WHOLE.start_ms, WHOLE.end_ms, (), now_ms=WHOLE.end_ms)
    mark(AGENT, HOUR, HOUR, due_ms=LATER)
    redis.Redis.from_url(settings.REDIS_URL).flushall()
    assert work_off(now_ms=LATER) == 1
    assert booked() == rated()


def test_days_that_grow_with_corrections_equal_days_summed_from_nothing() -> None:
    gpu()
    day = HOUR // DAY_MS * DAY_MS
    columns = ("project_id", "device_type", "dimension", "bucket", "q", "nano", "charged_nano")
    for k, span in enumerate((Interval(HOUR, HALF), Interval(HALF, WHOLE.end_ms))):
        take(window(k, span, HBM * HOUR_MS // (3 + k)), now_ms=LATER + k)
        book_hour(AGENT, HOUR, now_ms=LATER + k)
        sum_due_days(now_ms=LATER + DAY_MS)
    grown = sorted(SpendDay.objects.values_list(*columns), key=str)
    SpendDay.objects.all().delete()
    sum_day(day)
    assert sorted(SpendDay.objects.values_list(*columns), key=str) == grown
    assert sum(row[-2] for row in grown) == price_nano(12_500_000_000, WHOLE)
