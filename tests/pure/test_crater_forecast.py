"""Durations from history and the chance of being in time."""

from hypothesis import given
from hypothesis import strategies as st

from scheduling.crater.forecast import on_time, quantiles
from scheduling.crater.model import Runtime


def test_no_history_is_no_forecast() -> None:
    assert quantiles([]) is None


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=30))
def test_the_late_quantile_is_later_than_the_median(durations: list[int]) -> None:
    runtime = quantiles(durations)
    assert runtime is not None and runtime.p90_ms >= runtime.p50_ms > 0
    assert (runtime.source, runtime.runs) == ("history", len(durations))


def test_quantiles_mean_what_they_say() -> None:
    runtime = Runtime(10_000, 20_000, "history", 9)
    assert round(on_time(runtime, 10_000), 6) == 0.5
    assert round(on_time(runtime, 20_000), 6) == 0.9


@given(st.integers(-10, 10**6), st.integers(0, 10**6))
def test_more_time_never_lowers_the_chance(left: int, more: int) -> None:
    runtime = Runtime(10_000, 30_000, "history", 2)
    assert 0.0 <= on_time(runtime, left) <= on_time(runtime, left + more) <= 1.0


def test_a_certain_duration_is_a_step() -> None:
    assert [on_time(Runtime(10, 10, "declared"), left) for left in (9, 10)] == [0.0, 1.0]
