"""The conservation laws on a real PostgreSQL: whatever is measured, held and resent, every nano is booked once.

Numbers are those of the design: L1 sums, L2 signs, L4 cuts, L6 order and duplicates, L7 batches,
L8 co-tenants, L9 corrections, L11 drilldown, L15 books equal recomputation, L17 monotone, L19 live.
"""

from random import Random

import pytest
from django.db.models import Sum
from hypothesis import given
from hypothesis import strategies as st

from alldata.agent.wire import Frame
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.selectors.prices import price_history
from costing.services.ledger import book_hour
from costing.services.metering import rate_hour
from monitoring.models import UsageFrame
from scheduling.models import Allocation, Attempt, Device, Job
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, take, window
from tests.hours import LAW, attempts, claims, example, hours, watched_gpu
from tests.world import home

RATE = 7_500_000_000


@pytest.fixture
def viewer() -> Viewer:
    return home()


@pytest.fixture
def device(viewer: Viewer) -> Device:
    return watched_gpu()


def book() -> None:
    book_hour(AGENT, HOUR, now_ms=LATER)


def amounts() -> dict[tuple[str, str, str], tuple[int, int]]:
    """What is booked: (dimension, bucket, attempt) -> (q, nano)."""
    rows = LedgerEntry.objects.values_list("dimension", "bucket", "attempt_id").annotate(q=Sum("q"), n=Sum("nano"))
    return {(d, b, str(a)): (int(q), int(n)) for d, b, a, q, n in rows if q or n}


@LAW
@given(frames=hours(), held=claims())
def test_l1_l2_l8_buckets_sum_to_the_capacity_price(
    viewer: Viewer, device: Device, frames: list[Frame], held: list[tuple[int, Interval]]
) -> None:
    for _ in example():
        attempts(viewer, device, held)
        take(*frames)
        book()
        hbm = {key: value for key, value in amounts().items() if key[0] == "hbm_bandwidth"}
        assert sum(nano for _, nano in hbm.values()) == price_nano(RATE, Interval(HOUR, HOUR + HOUR_MS))
        assert sum(q for q, _ in hbm.values()) == HBM * HOUR_MS
        assert min((value for pair in hbm.values() for value in pair), default=0) >= 0


@LAW
@given(frames=hours(), held=claims(), random=st.randoms())
def test_l6_l7_order_duplicates_and_batches_change_nothing(
    viewer: Viewer, device: Device, frames: list[Frame], held: list[tuple[int, Interval]], random: Random
) -> None:
    found = []
    resent = [*frames, *frames]
    random.shuffle(resent)
    for order in (frames, resent):
        for _ in example():
            attempts(viewer, device, held)
            for one in order:
                take(one)
                if random.random() < 0.3:
                    book()
            book()
            found.append(sorted((d, b, *pair) for (d, b, _), pair in amounts().items()))
    assert found[0] == found[1]


@LAW
@given(early=hours(), held=claims(), data=st.data())
def test_l9_l15_l19_late_windows_are_corrections_that_sum_to_zero(
    viewer: Viewer, device: Device, early: list[Frame], held: list[tuple[int, Interval]], data: st.DataObject
) -> None:
    kept = [frame for frame in early if data.draw(st.booleans())]
    for _ in example():
        attempts(viewer, device, held)
        take(*kept)
        book()
        first = LedgerEntry.objects.filter(revision=1).count()
        take(*early)
        book()
        late = LedgerEntry.objects.filter(revision__gt=1)
        assert all(not row["nano"] for row in late.values("dimension").annotate(nano=Sum("nano")))
        assert LedgerEntry.objects.filter(revision=1).count() == first
        rated = rate_hour(AGENT, Interval(HOUR, HOUR + HOUR_MS), price_history()).amounts
        again = {(k.dimension, k.bucket.value, str(k.attempt)): (v.q, v.nano) for k, v in rated.items()}
        assert amounts() == {key: pair for key, pair in again.items() if any(pair)}


@LAW
@given(frames=hours(), held=claims(), q=st.integers(0, 10**18))
def test_l17_another_window_never_lowers_what_is_used(
    viewer: Viewer, device: Device, frames: list[Frame], held: list[tuple[int, Interval]], q: int
) -> None:
    for _ in example():
        attempts(viewer, device, held)
        take(*frames)
        book()
        before = busy()
        gap = max((f.end_ms for f in frames), default=HOUR)
        if gap < HOUR + HOUR_MS:
            take(window(0, Interval(gap, HOUR + HOUR_MS), q, epoch="boot:9"))
            book()
        assert busy() >= before


def busy() -> int:
    return sum(q for (d, b, _), (q, _n) in amounts().items() if d == "hbm_bandwidth" and b in ("used", "system"))


def test_a_window_is_stored_once_whatever_is_resent(device: Device) -> None:
    one = window(0, Interval(HOUR, HOUR + 1000), 5)
    take(one, one, one)
    assert UsageFrame.objects.filter(epoch="boot:1").count() == 1
    assert (Job.objects.count(), Attempt.objects.count(), Allocation.objects.count()) == (0, 0, 0)


def test_the_articles_second(device: Device) -> None:
    """L13 golden: 1500 of 2039 GB/s for one second; HBM carries 0.6 of 12.5 an hour here."""
    take(window(0, Interval(HOUR, HOUR + 1000), 1500 * 10**9 * 1000))
    book()
    system = amounts()["hbm_bandwidth", "system", "None"]
    whole = price_nano(RATE, Interval(HOUR, HOUR + HOUR_MS))
    assert system[0] == 1500 * 10**12
    assert abs(system[1] - whole * 1500 / (2039 * 3600)) <= 1
    assert device.uuid == GPU
