"""Closed means closed: what is booked for an hour afterwards is a correction, added and never changed (L9, L15)."""

import pytest
from django.db.models import Sum

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry, NodeBooks
from costing.rating import price_nano
from costing.selectors.costs import cost_of_job
from costing.services.agenda import mark_open, work_off
from costing.services.ledger import CLOSE_MS, book_hour
from scheduling.models import Allocation, Device, DeviceCapacity, Job
from scheduling.services.release import release_due
from tests.fleet import AGENT, HBM, HOUR, attempt, gpu, holds, job, take, window
from tests.world import home

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
RATE = 7_500_000_000
CLOSES = WHOLE.end_ms + CLOSE_MS


@pytest.fixture
def viewer() -> Viewer:
    return home()


@pytest.fixture
def work(viewer: Viewer) -> Job:
    """A job that holds all of a card for half an hour; the second quarter of the hour is not yet metered."""
    device = gpu()
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id, span=Interval(HOUR, HALF))
    holds(attempt(row, device), device, HBM, Interval(HOUR, HALF))
    quarter = Interval(HOUR, HOUR + HOUR_MS // 4)
    take(window(0, quarter, 0), window(2, Interval(HALF, WHOLE.end_ms), 0), now_ms=WHOLE.end_ms)
    return row


def book(now_ms: int) -> int:
    return book_hour(AGENT, HOUR, now_ms=now_ms)


def closed_until() -> int | None:
    return NodeBooks.objects.get(node=AGENT).closed_until_ms


def entries(**where: object) -> dict[str, int]:
    rows = LedgerEntry.objects.filter(dimension="hbm_bandwidth", **where).values_list("bucket")
    return {bucket: int(nano) for bucket, nano in rows.annotate(n=Sum("nano")) if nano}


def test_an_hour_closes_when_it_is_booked_once_more_and_not_when_it_is_planned_to_be(work: Job) -> None:
    book(CLOSES - 1)
    mark_open(now_ms=CLOSES)
    assert closed_until() == HOUR
    work_off(now_ms=CLOSES + 59_000)
    assert closed_until() == HOUR
    work_off(now_ms=CLOSES + 60_000)
    assert closed_until() == WHOLE.end_ms


def test_what_comes_before_the_close_is_no_correction(viewer: Viewer, work: Job) -> None:
    for now_ms in (WHOLE.end_ms, CLOSES - 1, CLOSES, CLOSES + 1):
        book(now_ms)
    assert not LedgerEntry.objects.filter(correction=True).exists()
    assert cost_of_job(viewer, str(work.id)).closed
    assert cost_of_job(viewer, str(work.id)).corrections == {}


def test_held_idle_that_rises_after_the_close_is_a_correction(viewer: Viewer, work: Job) -> None:
    book(CLOSES - 1)
    book(CLOSES)
    before, seen = entries(), LedgerEntry.objects.count()
    late = window(1, Interval(HOUR + HOUR_MS // 4, HALF), 0)
    take(late, now_ms=CLOSES + HOUR_MS)
    book(CLOSES + HOUR_MS)
    quarter = price_nano(RATE, Interval(HOUR + HOUR_MS // 4, HALF))
    assert entries(correction=True) == {"allocated_idle": quarter, "unmetered": -quarter}
    assert entries(correction=False) == before
    assert cost_of_job(viewer, str(work.id)).corrections == entries(correction=True)
    assert LedgerEntry.objects.filter(revision=1).count() + 2 == LedgerEntry.objects.count() == seen + 2


def test_a_claim_whose_grace_ran_out_unseen_ends_when_it_ran_out(work: Job) -> None:
    """The platform was down when the grace of a job ended; the hour is booked before anyone releases."""
    DeviceCapacity.objects.update(reserved_hbm_bandwidth=HBM)
    Allocation.objects.update(state="releasing", release_due_ms=HALF, end_ms=None)
    book(CLOSES)
    before = entries()
    assert release_due(now_ms=CLOSES + HOUR_MS) == 1
    assert book(CLOSES + HOUR_MS) == 0
    assert entries() == before


def test_an_hour_that_was_never_booked_is_not_corrected_but_booked(work: Job) -> None:
    NodeBooks.objects.create(node=AGENT, booked_until_ms=WHOLE.end_ms, closed_until_ms=WHOLE.end_ms)
    assert book(CLOSES) > 0
    assert not LedgerEntry.objects.filter(correction=True).exists()
    assert Device.objects.count() == 1
