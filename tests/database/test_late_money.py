"""Does the bill depend on how late news came, or how short a job was (E2)?"""

import pytest

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import price_nano
from costing.selectors.costs import cost_of_job
from monitoring.errors import BadFrameTime
from monitoring.models import UsageFrame
from scheduling.models import Job
from tests.fleet import HBM, HOUR, LATER, gpu, take, window
from tests.money import HALF, HBM_RATE, SECOND, WHOLE, book, booked, looks, worked


def test_a_spool_of_six_hours_is_booked_as_if_it_had_been_in_time(viewer: Viewer) -> None:
    """E2: everything is six hours late and comes twice; the bill is that of an agent that was in time."""
    worked(viewer, gpu())
    frames = looks([(s, s + 60) for s in range(0, 3600, 60)])
    book(LATER + 6 * HOUR_MS)
    take(*frames, *frames, now_ms=LATER + 6 * HOUR_MS)
    book(LATER + 6 * HOUR_MS + 1)
    half = price_nano(HBM_RATE, WHOLE) // 2
    assert booked() == {"used": half, "allocated_idle": half}
    assert UsageFrame.objects.count() == 60


@pytest.mark.parametrize("at_ms", [LATER + 6 * 60_000, LATER - 36 * 24 * HOUR_MS])
def test_windows_from_tomorrow_or_last_month_are_refused(viewer: Viewer, at_ms: int) -> None:
    with pytest.raises(BadFrameTime):
        take(window(0, Interval(at_ms - SECOND, at_ms), 1))


def test_a_running_job_is_billed_up_to_what_is_known(viewer: Viewer) -> None:
    row = worked(viewer, gpu())
    Job.objects.filter(pk=row.pk).update(state="active", ended_ms=None)
    take(window(0, Interval(HOUR, HALF), 0))
    book(HALF)
    cost = cost_of_job(viewer, str(row.id))
    assert (cost.state, cost.held_nano) == ("provisional", price_nano(HBM_RATE, Interval(HOUR, HALF)))


@pytest.mark.parametrize("length_ms", [1, 999])
def test_a_job_shorter_than_a_look_is_billed_to_the_millisecond(viewer: Viewer, length_ms: int) -> None:
    row = worked(viewer, gpu(), Interval(HOUR + 500, HOUR + 500 + length_ms))
    take(window(0, WHOLE, HBM * HOUR_MS))
    book()
    assert booked("q", job_id=row.id) == {"used": HBM * length_ms}
