"""The shortest span is really short, and following it stays near it."""

import numpy as np
import pytest

from scheduling.crater.allot import WAITS
from scheduling.crater.makespan import least_span, ranked

ONE, BOTH = np.array([1]), np.array([1, 1])


def test_a_lone_job_takes_its_fastest_class() -> None:
    span, times = least_span(np.array([[4.0, 2.0]]), ONE, BOTH)
    assert span == pytest.approx(2.0, abs=1e-3)
    assert times[0] == pytest.approx([0.0, 2.0], abs=1e-2)


def test_equal_jobs_share_two_devices_by_moving() -> None:
    """Three jobs of 2 h on two equal devices: 3 h, though no job alone may take more than its 2 h of work."""
    span, times = least_span(np.full((3, 1), 2.0), np.ones(3, dtype=np.int64), np.array([2]))
    assert span == pytest.approx(3.0, rel=1e-3)
    assert times.sum() == pytest.approx(6.0, rel=1e-3)


def test_a_job_never_runs_on_a_class_that_cannot_hold_it() -> None:
    hours = np.array([[1.0, np.inf], [1.0, 5.0]])
    span, times = least_span(hours, BOTH, BOTH)
    assert times[0, 1] == 0.0
    assert span == pytest.approx(9 / 5, rel=1e-2)  # the second job moves over when the first is done with it


def test_gangs_take_as_many_device_hours_as_devices() -> None:
    span, _ = least_span(np.full((2, 1), 3.0), np.array([4, 4]), np.array([4]))
    assert span == pytest.approx(6.0, rel=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_ranked_never_gives_more_than_there_is(seed: int) -> None:
    chance = np.random.default_rng(seed)
    hours, devices, slots = chance.uniform(1, 9, (12, 3)), chance.choice([1, 2, 4], 12), np.array([4, 4, 2])
    hours[chance.random((12, 3)) < 0.2] = np.inf
    hours[:, 0] = 5.0
    _, times = least_span(hours, devices, slots)
    chosen = ranked(times, hours, devices, slots, np.full(12, WAITS))
    for kind, most in enumerate(slots):
        assert devices[chosen == kind].sum() <= most
        assert np.isfinite(hours[chosen == kind, kind]).all()
    assert (chosen != WAITS).any()


def test_a_running_job_stays_where_it_is() -> None:
    hours, devices, slots = np.full((2, 2), 4.0), np.array([1, 1]), np.array([1, 1])
    times = np.full((2, 2), 2.0)
    for now in ([0, 1], [1, 0]):
        assert ranked(times, hours, devices, slots, np.array(now)).tolist() == now
