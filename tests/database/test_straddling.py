"""What if a span straddles the turn of a month, or lasts a millisecond (E1, E13)?"""

import pytest

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import price_nano
from costing.selectors.focus import focus_rows
from costing.services.ledger import book_hour
from tests.fleet import AGENT, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.money import HBM_RATE, WHOLE, nano, quantity

DECEMBER = 1_796_083_200_000


def book(*hours: int) -> None:
    for hour_ms in hours or (HOUR,):
        book_hour(AGENT, hour_ms, now_ms=max(LATER, hour_ms + 3 * HOUR_MS))


def test_e1_a_window_across_the_turn_of_a_month_is_cut_without_loss(viewer: Viewer) -> None:
    gpu(at_ms=DECEMBER - HOUR_MS)
    take(window(0, Interval(DECEMBER - 1, DECEMBER + 2), 10), now_ms=DECEMBER + HOUR_MS)
    book(DECEMBER - HOUR_MS, DECEMBER)
    assert [quantity(bucket="system", hour_ms=at) for at in (DECEMBER - HOUR_MS, DECEMBER)] == [3, 7]
    rows = list(focus_rows(viewer, from_ms=DECEMBER - HOUR_MS, to_ms=DECEMBER + HOUR_MS))
    periods = {(row["ChargePeriodStart"], row["BillingPeriodStart"], row["BillingPeriodEnd"]) for row in rows}
    assert sorted(periods) == [
        ("2026-11-30T23:00:00Z", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
        ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
    ]


@pytest.mark.parametrize("length_ms", [1, 1000])
def test_e1_an_interval_of_a_millisecond_counts(viewer: Viewer, length_ms: int) -> None:
    gpu()
    take(window(0, Interval(HOUR + 500, HOUR + 500 + length_ms), HBM * length_ms), window(1, WHOLE, 0, epoch="boot:0"))
    book()
    assert quantity(bucket="system") == HBM * length_ms


@pytest.mark.parametrize(
    "from_to", [(-1, 2 * HOUR_MS - 1), (1, 2 * HOUR_MS + 1), (999, 2 * HOUR_MS + 1), (1, 7_199_999)]
)
def test_e13_two_hours_are_billed_as_two_hours_to_the_millisecond(viewer: Viewer, from_to: tuple[int, int]) -> None:
    """The article's job of 2 h that read 1.5 h: its span in ms, across .999 and .001, is what is held."""
    span = Interval(HOUR + from_to[0], HOUR + from_to[1])
    device = gpu(at_ms=HOUR - HOUR_MS)
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id, span=span)
    holds(attempt(row, device), device, HBM, span)
    hours = [HOUR + k * HOUR_MS for k in range(-1, 3)]
    take(*(window(k, Interval(at, at + HOUR_MS), 0) for k, at in enumerate(hours)), now_ms=LATER + HOUR_MS)
    book(*hours)
    assert quantity(job_id=row.id) == HBM * (from_to[1] - from_to[0])
    assert nano(job_id=row.id) == price_nano(HBM_RATE, span)
