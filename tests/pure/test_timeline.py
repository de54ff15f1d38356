"""Does the timeline draw what is known and leave visible holes where nothing is?"""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from alldata.portal.timeline import MAX_POINTS, Axis, axis_of, lane, thinned
from monitoring.selectors.usage import Point, Series

SECOND = 1000


def series(*spans: tuple[int, int], quality: str = "measured") -> Series:
    points = tuple(Point(start * SECOND, end * SECOND, 500.0) for start, end in spans)
    return Series("cpu_millicores", "d", "millicores", quality, "sysfs", UUID(int=1), points)


def test_a_hole_of_more_than_two_windows_is_a_gap() -> None:
    drawn = lane(series((0, 1), (1, 2), (8, 9)), Axis(0, 10 * SECOND), whole=1000)
    assert drawn.gaps == ((20.0, 60.0),)
    assert drawn.line.count("M") == 2


def test_neighbouring_windows_are_one_line() -> None:
    assert lane(series((0, 1), (1, 2)), Axis(0, 10 * SECOND), whole=1000).gaps == ()


def test_a_missing_series_is_one_long_gap_and_has_no_share() -> None:
    drawn = lane(series((0, 5), quality="missing"), Axis(0, 10 * SECOND), whole=1000, ran=(2 * SECOND, 4 * SECOND))
    assert (drawn.gaps, drawn.share, drawn.line) == (((20.0, 20.0),), None, "")


@given(st.integers(0, 10**7), st.integers(1, 10**7), st.integers(-(10**8), 10**8))
def test_everything_stays_on_the_drawing(start: int, length: int, moment: int) -> None:
    assert 0 <= Axis(start, start + length).at(moment) <= 100


@given(st.integers(0, 2000))
def test_thinning_keeps_the_last_point(count: int) -> None:
    points = [Point(i, i + 1, 0.0) for i in range(count)]
    kept = thinned(points)
    assert len(kept) <= MAX_POINTS + 1
    assert kept[-1:] == points[-1:]


def test_a_far_deadline_does_not_squeeze_the_run() -> None:
    near = axis_of(0, 5_000, ended_ms=10_000, finish_ms=None, deadline_ms=20_000)
    far = axis_of(0, 5_000, ended_ms=10_000, finish_ms=None, deadline_ms=600_000)
    assert near.holds(20_000)
    assert not far.holds(600_000)
