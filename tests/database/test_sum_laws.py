"""Whatever an hour was like, every way to cut and to charge it sums to the same (L11, L12)."""

from itertools import combinations

import pytest
from django.db.models import Sum
from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.agent.wire import Frame
from alldata.kernel.intervals import DAY_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.pricing.charging import Mode, charged
from costing.rating import price_nano
from costing.selectors.breakdown import breakdown
from costing.selectors.costs import spend_of_jobs
from costing.selectors.questions import Answer, By, Question
from costing.services.days import sum_day
from costing.services.ledger import book_hour
from scheduling.models import Device, Job
from tests.fleet import AGENT, HOUR, LATER, PRICES, gpu, take
from tests.hours import LAW, attempts, claims, example, hours, watched_gpu
from tests.money import WHOLE, nano

FEW = settings(LAW, max_examples=6)
DAY = HOUR // DAY_MS * DAY_MS
KEYS = ("project_id", "job_id", "device", "dimension", "hour_ms", "bucket", "attempt_id")
Held = list[tuple[int, Interval]]


@pytest.fixture
def device(viewer: Viewer) -> Device:
    return watched_gpu()


def worked(viewer: Viewer, device: Device, frames: list[Frame], held: Held) -> list[Job]:
    """The hour is metered, booked and summed."""
    jobs = attempts(viewer, device, held)
    take(*frames)
    book_hour(AGENT, HOUR, now_ms=LATER)
    sum_day(DAY)
    return jobs


def asked(viewer: Viewer, by: By, **where: object) -> Answer:
    return breakdown(viewer, Question(by, DAY, DAY + DAY_MS, **where))  # type: ignore[arg-type]


@FEW
@given(frames=hours(), held=claims())
def test_l11_any_set_of_keys_sums_to_the_total(viewer: Viewer, device: Device, frames: list[Frame], held: Held) -> None:
    for _ in example():
        worked(viewer, device, frames, held)
        for keys in (keys for size in (1, 2, 3) for keys in combinations(KEYS, size)):
            rows = LedgerEntry.objects.order_by().values(*keys).annotate(n=Sum("nano"))
            assert sum(row["n"] for row in rows) == nano()
        for by in (By.TEAM, By.PROJECT, By.CAPABILITY, By.BUCKET, By.DEVICE, By.DAY):
            answer = asked(viewer, by, limit=1)
            rows_and_rest = [*answer.rows, *([answer.rest] if answer.rest else [])]
            assert answer.total.total_nano == nano()
            assert sum(row.amounts.total_nano for row in rows_and_rest) == nano()
            shown = (2 * answer.total.charged_nano + 10_000_000) // 20_000_000
            assert sum(row.charged_minor for row in rows_and_rest) == shown
            assert sum(row.share_permille for row in rows_and_rest) in (0, 1000)


@FEW
@given(frames=hours(), held=claims(), mode=st.sampled_from(list(Mode)), part=st.integers(0, 4))
def test_l12_a_mode_charges_differently_and_sums_the_same(
    viewer: Viewer, frames: list[Frame], held: Held, mode: Mode, part: int
) -> None:
    for _ in example():
        text = f"source: test\ncharge_mode: {mode.value}\nblend: {part / 4}"
        jobs = worked(viewer, gpu(at_ms=HOUR - 1000, prices=PRICES.replace("source: test", text)), frames, held)
        rows = LedgerEntry.objects.exclude(job_id=None).values_list("bucket", "dimension", "attempt_id")
        due = sum(charged(row[0], int(row[-1]), mode, part * 250_000) for row in rows.annotate(n=Sum("nano")))
        answer = asked(viewer, By.PROJECT)
        assert (answer.total.charged_nano, answer.total.total_nano) == (due, nano())
        assert nano() in (0, price_nano(12_500_000_000, WHOLE))
        assert sum(spend.nano for spend in spend_of_jobs([row.id for row in jobs]).values()) == due
