"""Forecasts for hardware never run on, and probabilities that mean what they say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scheduling.crater.experience import EVERY, Experience, Trust, monotone
from scheduling.crater.roofline import Neighbour, as_runtime, borrowed, transferred

DEVICES = {
    "slow": {"tflops": 4.0, "gbps": 100.0},
    "middle": {"tflops": 8.0, "gbps": 200.0},
    "fast": {"tflops": 16.0, "gbps": 400.0},
}


def test_a_bound_job_scales_with_the_hardware() -> None:
    assert round(transferred({"slow": 400.0, "middle": 200.0}, DEVICES, "fast") or 0, 6) == 100.0


def test_a_job_that_gained_nothing_gains_nothing() -> None:
    assert transferred({"slow": 300.0, "middle": 300.0}, DEVICES, "fast") == 300.0


def test_one_known_device_is_the_plain_roofline() -> None:
    narrow = {**DEVICES, "odd": {"tflops": 32.0, "gbps": 100.0}}
    assert transferred({"middle": 100.0}, narrow, "odd") == 200.0


def test_nothing_comparable_is_no_forecast() -> None:
    assert transferred({}, DEVICES, "fast") is None
    assert transferred({"fast": 1.0}, DEVICES, "fast") is None
    assert borrowed(1.0, 0.0, []) is None


@given(st.floats(1, 1e6), st.floats(1, 1e6))
def test_better_hardware_is_never_forecast_to_be_slower(slow: float, middle: float) -> None:
    assert (transferred({"slow": slow, "middle": middle}, DEVICES, "fast") or 0) <= middle * (1 + 1e-9)


def test_near_neighbours_count_more() -> None:
    far, near = Neighbour(5.0, 9.0), Neighbour(1.0, 0.0)
    assert 1.0 < (borrowed(1.0, 1.0, [near, far]) or 0) < 1.1


def test_a_transferred_forecast_is_wide_and_labelled() -> None:
    runtime = as_runtime(1000.0)
    assert (runtime.source, runtime.p90_ms > runtime.p50_ms) == ("roofline", True)


def test_the_time_people_allow_is_evidence() -> None:
    experience = Experience()
    for _ in range(40):
        experience.finished("k", 1_000, 1_200)
        experience.finished("k", 100_000, 120_000)
    runtime = experience.runtime("k", 1_200)
    assert runtime is not None and runtime.p50_ms == 1_000
    assert (experience.chance("k", 1_200, 1_100) or 0) > 0.9 > 0.2 > (experience.chance("k", 120_000, 1_100) or 0)


def test_without_experience_nothing_is_promised() -> None:
    assert Experience().chance("k", 10, 10) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=200))
def test_trust_never_falls_with_the_raw_promise(rows: list[tuple[float, bool]]) -> None:
    scores, outcomes = np.array([s for s, _ in rows]), np.array([float(k) for _, k in rows])
    where, levels = monotone(scores, outcomes)
    assert (np.diff(where) >= 0).all() and (np.diff(levels) >= 0).all()
    assert ((levels > 0) & (levels < 1)).all()


def test_trust_learns_what_promises_are_worth() -> None:
    trust = Trust()
    for number in range(EVERY * 4):
        trust.ended(0.9, number % 2 == 0)
    assert abs(trust.of(0.9) - 0.5) < 0.05
