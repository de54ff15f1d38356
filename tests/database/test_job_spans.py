"""What is kept of whole jobs and of hours is a function of the ledger: any span of days, any order of summing (L11)."""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alldata.kernel.intervals import DAY_MS, HOUR_MS
from alldata.tenancy.viewer import Viewer
from costing.models import DirtyDay, LedgerEntry, PriceVersion
from costing.selectors.breakdown import breakdown
from costing.selectors.questions import By, Question
from costing.selectors.spent import charged_by_hour
from costing.selectors.summary import cost_by_project
from costing.services.days import mark_day, sum_day, sum_due_days
from tests.fleet import HOUR, gpu
from tests.world import home

DAY = HOUR // DAY_MS * DAY_MS
DAYS = 5
LAW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


class _Undo(Exception):
    """Leave the database as it was before an example."""


@dataclass(frozen=True)
class Booked:
    """An entry of one of four jobs in some hour; `late` ones come when the days have been summed."""

    job: int
    day: int
    hour: int
    bucket: str
    nano: int
    late: bool


@pytest.fixture
def viewer() -> Viewer:
    found = home()
    gpu(at_ms=DAY)
    return found


def append(viewer: Viewer, entries: list[Booked]) -> None:
    project, version = viewer.default_project_id, PriceVersion.objects.get()
    for one in entries:
        hour_ms = DAY + one.day * DAY_MS + one.hour * HOUR_MS
        LedgerEntry.objects.create(
            hour_ms=hour_ms, upto_ms=hour_ms + HOUR_MS, node="n", device=f"d{one.job}", dimension="gpu_sm",
            bucket=one.bucket, attempt_id=UUID(int=one.job), job_id=UUID(int=one.job), project_id=project,
            price_version=version, revision=1, q=1, nano=one.nano, booked_ms=1,
        )  # fmt: skip


booked = st.builds(
    Booked,
    st.integers(1, 4),
    st.integers(0, DAYS - 1),
    st.integers(0, 23),
    st.sampled_from(["used", "allocated_idle", "unmetered"]),
    st.integers(0, 10**12),
    st.booleans(),
)


def charged(entries: list[Booked], first: int, end: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in entries:
        if first <= one.day < end:
            found[str(UUID(int=one.job))] += one.nano if one.bucket == "used" else 0
    return found


def check(viewer: Viewer, entries: list[Booked], first: int, end: int) -> None:
    from_ms, to_ms = DAY + first * DAY_MS, DAY + end * DAY_MS
    wanted = charged(entries, first, end)
    answer = breakdown(viewer, Question(By.JOB, from_ms, to_ms, limit=3))
    assert answer.groups == len(wanted) if wanted else not answer.rows
    dearest = sorted(wanted.items(), key=lambda item: -item[1])[:3]
    assert [row.amounts.charged_nano for row in answer.rows] == [nano for _, nano in dearest]
    assert all(wanted[row.key] == row.amounts.charged_nano for row in answer.rows)
    assert answer.total.charged_nano == wanted.total()
    (project,) = cost_by_project(viewer, from_ms=from_ms, to_ms=to_ms)
    assert (project.jobs, project.charged_nano) == (len(wanted), wanted.total())


@LAW
@given(st.lists(booked, max_size=12), st.permutations(range(DAYS)), st.sets(st.integers(0, DAYS - 1)))
def test_any_span_of_days_has_its_jobs(
    viewer: Viewer, entries: list[Booked], order: list[int], marked: set[int]
) -> None:
    with suppress(_Undo), transaction.atomic():
        append(viewer, [one for one in entries if not one.late])
        for day in order:
            sum_day(DAY + day * DAY_MS)
        append(viewer, [one for one in entries if one.late])
        for one in entries:
            mark_day(DAY + one.day * DAY_MS, now_ms=0)
        sum_due_days(now_ms=10**15)
        DirtyDay.objects.bulk_create(DirtyDay(day_ms=DAY + day * DAY_MS, due_ms=0) for day in marked)
        for first in range(DAYS):
            for end in range(first + 1, DAYS + 1):
                check(viewer, entries, first, end)
        raise _Undo


@LAW
@given(st.lists(booked, max_size=12))
def test_a_job_counts_once_also_where_its_day_is_still_to_be_summed(viewer: Viewer, entries: list[Booked]) -> None:
    with suppress(_Undo), transaction.atomic():
        append(viewer, [one for one in entries if not one.late])
        for day in range(DAYS):
            sum_day(DAY + day * DAY_MS)
        append(viewer, [one for one in entries if one.late])
        for one in entries:
            if one.late:
                mark_day(DAY + one.day * DAY_MS, now_ms=0)
        for half in (0, DAY_MS // 2):
            (project,) = cost_by_project(viewer, from_ms=DAY + half, to_ms=DAY + DAYS * DAY_MS)
            seen = {one.job for one in entries if one.day * DAY_MS + one.hour * HOUR_MS >= half}
            assert project.jobs == len(seen)
        raise _Undo


@LAW
@given(st.lists(booked, max_size=12))
def test_hours_come_to_what_was_booked_in_them(viewer: Viewer, entries: list[Booked]) -> None:
    with suppress(_Undo), transaction.atomic():
        append(viewer, entries)
        for day in range(DAYS):
            sum_day(DAY + day * DAY_MS)
        assert viewer.default_project_id is not None
        found = charged_by_hour([viewer.default_project_id], DAY, DAY + DAYS * DAY_MS)
        wanted: Counter[int] = Counter()
        for one in entries:
            wanted[DAY + one.day * DAY_MS + one.hour * HOUR_MS] += one.nano if one.bucket == "used" else 0
        assert found.get(viewer.default_project_id, {}) == dict(wanted)
        raise _Undo
