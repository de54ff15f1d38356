"""Old days are kept by minute, which comes to the same (L4, E11), and go away in the end."""

import pytest
from django.db import DatabaseError, connection, transaction

from alldata.agent.wire import AttemptUsage, Frame, Usage
from alldata.kernel.intervals import DAY_MS, HOUR_MS, Interval
from costing.selectors.prices import price_history
from costing.services.capacity import note_supply
from costing.services.metering import rate_hour
from monitoring.models import UsageFrame
from monitoring.services.ingest import ingest_frame
from monitoring.services.retention import KEEP_DAYS, RETAIN_DAYS, merge_day, tidy
from tests.fleet import AGENT, HOUR, LATER, gpu, take, window
from tests.world import home

STEP = 2000
DAY = HOUR // DAY_MS


@pytest.fixture
def hour() -> None:
    """An hour of two-second windows with gaps and a new epoch in between."""
    home()
    gpu()
    note_supply(AGENT, at_ms=HOUR)
    for k in range(200):
        if k % 50 == 49:
            continue
        span = Interval(HOUR + k * STEP, HOUR + (k + 1) * STEP)
        take(window(k, span, (k * 7919 % 1001) * 10**9 * STEP, epoch=f"boot:{k // 120}"))


def test_minutes_come_to_what_the_windows_came_to(hour: None) -> None:
    span = Interval(HOUR, HOUR + HOUR_MS)
    before, count = rate_hour(AGENT, span, price_history()).amounts, UsageFrame.objects.count()
    assert merge_day(DAY) == UsageFrame.objects.count() < count / 20
    assert rate_hour(AGENT, span, price_history()).amounts == before
    assert merge_day(DAY) == UsageFrame.objects.count()


def test_a_merged_day_still_refuses_changes(hour: None) -> None:
    merge_day(DAY)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM usage_frame")


def test_days_are_merged_and_dropped_when_their_time_has_come(hour: None) -> None:
    count = UsageFrame.objects.count()
    assert tidy(now_ms=HOUR + KEEP_DAYS * DAY_MS) == 0
    assert tidy(now_ms=HOUR + (KEEP_DAYS + 1) * DAY_MS) == 1
    assert tidy(now_ms=HOUR + (KEEP_DAYS + 1) * DAY_MS) == 0
    assert 0 < UsageFrame.objects.count() < count
    assert tidy(now_ms=HOUR + (RETAIN_DAYS + 1) * DAY_MS) == 1
    assert not UsageFrame.objects.exists()


def test_reports_of_an_attempt_are_summed_over_their_time() -> None:
    for k in range(3):
        start = HOUR + k * STEP
        dims = {"cpu_millicores": Usage(100 + k, "measured", "measured", peak=k, coverage_ms=STEP)}
        usage = AttemptUsage("attempt", "cpu", dims, start, start + STEP)
        ingest_frame(Frame("e", k, start, start + STEP, (), (usage,)), agent=AGENT, now_ms=LATER)
    merge_day(DAY)
    (row,) = UsageFrame.objects.all()
    assert (row.seq, row.start_ms, row.end_ms, row.attempts) == (0, HOUR, HOUR + 3 * STEP, ["attempt"])
