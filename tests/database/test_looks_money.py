"""Does the bill depend on how often somebody looked (E10)?"""

from alldata.kernel.intervals import Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import price_nano
from tests.fleet import HBM, HOUR, gpu, take, window
from tests.money import HBM_RATE, SECOND, WHOLE, book, booked, looks, worked


def test_looking_every_second_then_every_five_costs_what_looking_once_costs(viewer: Viewer) -> None:
    """E10: the interval changes in the middle of the job; the integrals are the same."""
    worked(viewer, gpu(), Interval(HOUR, HOUR + 240 * SECOND))
    often = [(s, s + 1) for s in range(120)] + [(s, s + 5) for s in range(120, 240, 5)]
    take(*looks(often), window(999, Interval(HOUR + 240 * SECOND, WHOLE.end_ms), 0))
    book()
    assert booked("q", bucket="used") == {"used": HBM * 120 * SECOND}
    assert booked("nano", bucket="used") == {"used": price_nano(HBM_RATE, Interval(HOUR, HOUR + 240 * SECOND)) // 2}
