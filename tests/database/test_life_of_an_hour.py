"""open -> provisional -> closed -> invoiced; what comes late, changes or dies in between (E1, E2, E3, E9)."""

import threading

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Sum

from alldata.kernel.intervals import DAY_MS, HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.errors import AlreadyInvoiced, BadQuestion, FinanceOnly, NotClosedYet
from costing.models import CapacityVersion, LedgerEntry, NodeBooks
from costing.rating import price_nano
from costing.selectors.focus import focus_rows
from costing.services.capacity import note_supply
from costing.services.invoices import lock_period
from costing.services.ledger import book_hour
from scheduling.models import DeviceCapacity
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.world import home

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
RATE = 7_500_000_000


@pytest.fixture
def viewer() -> Viewer:
    return home()


def book(now_ms: int = LATER) -> int:
    return book_hour(AGENT, HOUR, now_ms=now_ms)


def nano(**where: object) -> int:
    return int(LedgerEntry.objects.filter(**where).aggregate(nano=Sum("nano"))["nano"] or 0)


def closed(until_ms: int = HOUR + HOUR_MS) -> None:
    NodeBooks.objects.filter(node=AGENT).update(closed_until_ms=until_ms)


def test_a_changed_capacity_does_not_rate_the_past_again(viewer: Viewer) -> None:
    gpu()
    take(window(0, WHOLE, HBM * HOUR_MS // 2))
    book()
    before = nano(bucket="system")
    DeviceCapacity.objects.update(capacity_hbm_bandwidth=HBM // 2)
    note_supply(AGENT, at_ms=LATER)
    assert book() == 0
    assert nano(bucket="system") == before
    assert CapacityVersion.objects.filter(dimension="hbm_bandwidth").count() == 2


def test_a_capacity_that_changes_within_the_hour_cuts_it(viewer: Viewer) -> None:
    gpu()
    note_supply(AGENT, at_ms=HOUR)
    DeviceCapacity.objects.update(capacity_hbm_bandwidth=HBM // 2)
    note_supply(AGENT, at_ms=HALF)
    take(window(0, WHOLE, HBM * HOUR_MS))
    book()
    q = LedgerEntry.objects.filter(dimension="hbm_bandwidth", bucket="system").aggregate(q=Sum("q"))["q"]
    assert int(q) == HBM * HOUR_MS // 2 + HBM // 2 * HOUR_MS // 2
    assert nano(dimension="hbm_bandwidth") == price_nano(RATE, WHOLE)


def test_a_lost_gpu_is_unavailable_not_idle(viewer: Viewer) -> None:
    device = gpu()
    note_supply(AGENT, at_ms=HOUR)
    assert viewer.default_project_id is not None
    holds(attempt(job(viewer.default_project_id, viewer.organisation_id), device), device, HBM, WHOLE)
    type(device).objects.update(healthy=False)
    note_supply(AGENT, at_ms=HALF)
    take(window(0, Interval(HOUR, HALF), HBM * HOUR_MS // 2))
    book()
    half = price_nano(RATE, Interval(HALF, HOUR + HOUR_MS))
    assert (nano(dimension="hbm_bandwidth", bucket="unavailable"), nano(bucket="unmetered")) == (half, 0)


def test_noting_the_same_supply_again_changes_nothing(viewer: Viewer) -> None:
    gpu()
    assert note_supply(AGENT, at_ms=HOUR) == 2
    assert note_supply(AGENT, at_ms=HALF) == 0


def test_a_job_without_samples_is_unmetered(viewer: Viewer) -> None:
    device = gpu()
    take(window(0, Interval(HOUR - 2000, HOUR - 1000), 0))
    assert viewer.default_project_id is not None
    holds(attempt(job(viewer.default_project_id, viewer.organisation_id), device), device, HBM, WHOLE)
    book()
    assert nano(dimension="hbm_bandwidth", bucket="unmetered") == price_nano(RATE, WHOLE)


def test_an_interval_across_the_hour_is_cut_without_loss(viewer: Viewer) -> None:
    gpu(at_ms=HOUR - HOUR_MS)
    take(window(0, Interval(HOUR - 1, HOUR + 2), 10))
    for hour_ms in (HOUR - HOUR_MS, HOUR):
        book_hour(AGENT, hour_ms, now_ms=LATER)
    q = LedgerEntry.objects.filter(dimension="hbm_bandwidth", bucket="system").aggregate(q=Sum("q"))["q"]
    assert int(q) == 10


def test_a_clock_step_back_of_an_hour_counts_no_time_twice(viewer: Viewer) -> None:
    gpu()
    take(window(0, WHOLE, HBM * HOUR_MS // 2), window(0, WHOLE, HBM * HOUR_MS // 4, epoch="boot:2"))
    book()
    q = LedgerEntry.objects.filter(dimension="hbm_bandwidth", bucket="system").aggregate(q=Sum("q"))["q"]
    assert int(q) == HBM * HOUR_MS // 4


def test_only_closed_hours_are_invoiced_once_and_by_finance(viewer: Viewer) -> None:
    gpu()
    take(window(0, WHOLE, 0))
    book()
    span = {"start_ms": HOUR, "end_ms": HOUR + HOUR_MS, "now_ms": LATER}
    with pytest.raises(NotClosedYet):
        lock_period(viewer, "2026-11", **span)
    closed()
    with pytest.raises(BadQuestion):
        lock_period(viewer, "2026-11", **span | {"start_ms": HOUR + 1})
    with pytest.raises(FinanceOnly):
        lock_period(type(viewer)(viewer.organisation_id, 1, "x"), "2026-11", **span)
    lock_period(viewer, "2026-11", **span)
    with pytest.raises(AlreadyInvoiced):
        lock_period(viewer, "2026-11b", **span)


def test_late_data_after_the_invoice_is_a_correction(viewer: Viewer) -> None:
    gpu()
    take(window(0, Interval(HOUR, HALF), 0))
    book()
    closed()
    lock_period(viewer, "2026-11", start_ms=HOUR, end_ms=HOUR + HOUR_MS, now_ms=LATER)
    take(window(1, Interval(HALF, HOUR + HOUR_MS), HBM * HOUR_MS // 4), now_ms=LATER + 1)
    book(LATER + DAY_MS)
    rows = list(focus_rows(viewer, from_ms=HOUR, to_ms=HOUR + HOUR_MS))
    late = [row for row in rows if row["ChargeClass"] == "Correction"]
    assert {row["InvoiceId"] for row in late} == {"2026-11"}
    assert nano(booked_ms__gt=LATER) == 0


@pytest.mark.parametrize("table", ["costing_exchangerate", "costing_invoicelock"])
def test_invoices_and_exchange_rates_are_append_only(viewer: Viewer, table: str) -> None:
    gpu()
    take(window(0, WHOLE, 0))
    book()
    closed()
    lock_period(viewer, "n", start_ms=HOUR, end_ms=HOUR + HOUR_MS, now_ms=LATER)
    statement = f"INSERT INTO {table} (base, quote, as_of_ms, nano_per_unit, source) VALUES ('USD','CNY',1,1,'')"
    with connection.cursor() as cursor:
        if table == "costing_exchangerate":
            cursor.execute(statement)
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            cursor.execute(f"DELETE FROM {table}")


@pytest.mark.django_db(transaction=True)
def test_two_closers_of_one_hour_book_it_once() -> None:
    home()
    gpu()
    take(window(0, WHOLE, HBM * HOUR_MS // 3))
    found: list[int] = []

    def close() -> None:
        found.append(book())
        connection.close()

    closers = [threading.Thread(target=close) for _ in range(2)]
    for closer in closers:
        closer.start()
    for closer in closers:
        closer.join()
    assert sorted(found)[0] == 0 < sorted(found)[1]
    assert nano(dimension="hbm_bandwidth") == price_nano(RATE, WHOLE)
    assert GPU in LedgerEntry.objects.values_list("device", flat=True)
