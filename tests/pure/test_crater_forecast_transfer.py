"""Forecasts for hardware never run on, and probabilities that mean what they say."""

from hypothesis import given
from hypothesis import strategies as st

from scheduling.crater.roofline import Neighbour, as_runtime, borrowed, runtime_on, transferred

DEVICES = {
    "slow": {"tflops": 4.0, "gbps": 100.0},
    "middle": {"tflops": 8.0, "gbps": 200.0},
    "fast": {"tflops": 16.0, "gbps": 400.0},
}


def test_a_bound_job_scales_with_the_hardware() -> None:
    assert round(transferred({"slow": 400.0, "middle": 200.0}, DEVICES, "fast") or 0, 6) == 100.0


def test_a_job_that_gained_nothing_is_forecast_to_gain_less() -> None:
    assert 150.0 < (transferred({"slow": 300.0, "middle": 300.0}, DEVICES, "fast") or 0) < 300.0


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


def test_own_history_comes_before_any_transfer() -> None:
    history = {"slow": [400, 400], "fast": [90, 110]}
    assert [getattr(runtime_on(t, history, DEVICES), "source", None) for t in ("fast", "middle", "none")] == [
        "history",
        "roofline",
        None,
    ]
