"""Every way to cut the ledger gives the same total, to the last digit and as shown (L11, L12, L16)."""

import pytest
from django.db.models import Sum
from hypothesis import given
from hypothesis import strategies as st

from alldata.kernel.intervals import DAY_MS, HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.errors import BadQuestion
from costing.models import DirtyDay, JobDay, LedgerEntry, SpendDay
from costing.pricing.charging import charged
from costing.selectors.breakdown import breakdown
from costing.selectors.compare import compare, spend_of_profile
from costing.selectors.costs import cost_of_job, spend_of_jobs
from costing.selectors.questions import By, Question
from costing.selectors.sparks import with_sparks
from costing.selectors.summary import capacity_cost, cost_by_project
from costing.services.days import sum_day, sum_due_days
from costing.services.ledger import book_hour
from scheduling.models import Job
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, PRICES, attempt, gpu, holds, job, take, window
from tests.world import home

DAY = HOUR // DAY_MS * DAY_MS
SUMS = (By.ORGANISATION, By.TEAM, By.PROJECT, By.CAPABILITY, By.BUCKET, By.DAY, By.JOB, By.DEVICE)


@pytest.fixture
def viewer() -> Viewer:
    return home()


def work(viewer: Viewer, *, mode: str = "consumption") -> list[Job]:
    """Two jobs that hold half a GPU each and use part of it, for an hour."""
    text = PRICES.replace("source: test", f"source: test\ncharge_mode: {mode}\nblend: 0.25")
    device = gpu(prices=text)
    jobs = []
    assert viewer.default_project_id is not None
    for number in (1, 2):
        row = job(viewer.default_project_id, viewer.organisation_id, number)
        holds(attempt(row, device), device, HBM // 2, Interval(HOUR, HOUR + HOUR_MS))
        jobs.append(row)
    take(window(0, Interval(HOUR, HOUR + HOUR_MS // 2), HBM * HOUR_MS // 7))
    book_hour(AGENT, HOUR, now_ms=LATER)
    sum_due_days(now_ms=LATER + DAY_MS)
    return jobs


def question(by: By, **where: object) -> Question:
    return Question(by, DAY, DAY + DAY_MS, **where)  # type: ignore[arg-type]


def test_every_level_adds_the_same_entries(viewer: Viewer) -> None:
    work(viewer)
    total = LedgerEntry.objects.aggregate(nano=Sum("nano"))["nano"]
    held = LedgerEntry.objects.exclude(job_id=None).aggregate(nano=Sum("nano"))["nano"]
    totals = {by: breakdown(viewer, question(by)).total.total_nano for by in SUMS}
    assert totals == dict.fromkeys(SUMS, total) | {By.JOB: held}


@pytest.mark.parametrize("by", SUMS)
def test_rows_and_rest_sum_to_the_total_also_as_shown(viewer: Viewer, by: By) -> None:
    work(viewer)
    answer = breakdown(viewer, question(by, limit=1))
    rows = [*answer.rows, *([answer.rest] if answer.rest else [])]
    assert sum(row.amounts.charged_nano for row in rows) == answer.total.charged_nano
    assert sum(row.share_permille for row in rows) == 1000
    cent = 10_000_000
    assert sum(row.charged_minor for row in rows) == (answer.total.charged_nano + cent // 2) // cent


def test_a_job_is_the_same_in_every_view(viewer: Viewer) -> None:
    first, _ = work(viewer)
    by_job = {row.key: row.amounts for row in breakdown(viewer, question(By.JOB)).rows}[str(first.id)]
    detail = cost_of_job(viewer, str(first.id))
    inside = breakdown(viewer, question(By.CAPABILITY, job=str(first.id)))
    assert by_job.charged_nano == detail.charged_nano == inside.total.charged_nano
    assert by_job.charged_nano == spend_of_jobs([first.id])[first.id].nano
    assert (by_job.idle_nano, by_job.coverage) == (detail.buckets["allocated_idle"], detail.coverage)


@pytest.mark.parametrize("mode", ["consumption", "allocation", "max", "blend"])
def test_a_mode_charges_other_buckets_and_leaves_the_sum(viewer: Viewer, mode: str) -> None:
    work(viewer, mode=mode)
    total = breakdown(viewer, question(By.PROJECT)).total
    rows = LedgerEntry.objects.exclude(job_id=None).values_list("bucket", "nano")
    assert total.charged_nano == sum(charged(bucket, nano, mode, 250_000) for bucket, nano in rows)
    assert total.total_nano == LedgerEntry.objects.aggregate(nano=Sum("nano"))["nano"]


def test_days_summed_again_from_the_ledger_are_the_same(viewer: Viewer) -> None:
    work(viewer)
    columns = ("day_ms", "project_id", "dimension", "bucket", "q", "nano", "charged_nano")
    before = sorted(SpendDay.objects.values_list(*columns), key=str), JobDay.objects.count()
    sum_day(DAY)
    assert (sorted(SpendDay.objects.values_list(*columns), key=str), JobDay.objects.count()) == before


@pytest.mark.parametrize("dirty", [False, True])
def test_summaries_agree_whether_days_are_summed_or_not(viewer: Viewer, dirty: bool) -> None:
    work(viewer)
    if dirty:
        DirtyDay.objects.create(day_ms=DAY, due_ms=0)
    found = cost_by_project(viewer, from_ms=DAY - DAY_MS, to_ms=DAY + DAY_MS)[0]
    assert (found.charged_nano, found.jobs) == (breakdown(viewer, question(By.PROJECT)).total.charged_nano, 2)
    total = LedgerEntry.objects.aggregate(nano=Sum("nano"))["nano"]
    assert capacity_cost(from_ms=DAY, to_ms=DAY + DAY_MS).capacity_nano == total


@pytest.mark.parametrize("by", [By.PROJECT, By.CAPABILITY, By.JOB])
def test_a_line_sums_to_its_amount(viewer: Viewer, by: By) -> None:
    work(viewer)
    answer = with_sparks(viewer, breakdown(viewer, question(by)))
    assert [sum(row.spark) for row in answer.rows] == [row.amounts.charged_nano for row in answer.rows]


def test_two_jobs_side_by_side(viewer: Viewer) -> None:
    first, second = work(viewer)
    sides = [question(By.CAPABILITY, job=str(row.id)) for row in (first, second)]
    found = compare(viewer, *sides)
    assert [row.change_nano for row in found.rows] == [row.b_nano - row.a_nano for row in found.rows]
    assert found.comparable is False
    assert spend_of_profile(viewer, "p@1.0").jobs == 2


def test_a_device_shows_its_jobs_and_hours(viewer: Viewer) -> None:
    jobs = work(viewer)
    found = breakdown(viewer, question(By.JOB, device=GPU))
    assert {row.key for row in found.rows} == {"", *(str(row.id) for row in jobs)}
    assert [row.key for row in breakdown(viewer, question(By.HOUR, device=GPU)).rows] == [str(HOUR)]


@pytest.mark.parametrize("asked", [question(By.HOUR), question(By.DAY, device=GPU), question(By.JOB, bucket="used")])
def test_what_cannot_be_answered_is_refused(viewer: Viewer, asked: Question) -> None:
    with pytest.raises(BadQuestion):
        breakdown(viewer, asked)


@given(st.integers(0, 10**15), st.integers(0, 10**6))
def test_a_blend_charges_a_part_of_idle_rounded_down(nano: int, ppm: int) -> None:
    assert charged("allocated_idle", nano, "blend", ppm) == nano * ppm // 10**6 <= nano
