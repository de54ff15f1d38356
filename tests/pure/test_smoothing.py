"""What people see of a jagged series: stated windows, no average over a gap, and nothing of it in the ledger."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitoring.smoothing import Sample, Smoothing, rule_for, smoothed

values = st.lists(st.floats(0, 1e12), min_size=1, max_size=60)


def row(found: list[float], length: int = 5_000) -> list[Sample]:
    return [Sample(at * length, (at + 1) * length, value) for at, value in enumerate(found)]


@pytest.mark.parametrize(
    ("kind", "mode", "window"),
    [("gpu", "training", 50_000), ("gpu", "inference", 1_000), ("storage", "training", 25_000), ("cpu", "", 50_000)],
)
def test_the_window_depends_on_the_device_and_the_mode(kind: str, mode: str, window: int) -> None:
    assert rule_for(kind, mode).window_ms == window


@given(values)
def test_a_smoothed_value_lies_between_what_it_rests_on(found: list[float]) -> None:
    shown = smoothed(row(found), Smoothing(5_000, 10))
    for index, sample in enumerate(shown):
        inside = found[max(0, index - 9) : index + 1]
        assert min(inside) * (1 - 1e-9) <= sample.value <= max(inside) * (1 + 1e-9)


def test_ten_samples_of_five_seconds() -> None:
    shown = smoothed(row([0.0] * 3 + [1.0] * 9), Smoothing(5_000, 10))
    assert shown[-1].value == pytest.approx(0.9)


def test_one_sample_is_the_window_as_it_came() -> None:
    assert smoothed(row([1.0, 5.0]), rule_for("gpu", "inference")) == row([1.0, 5.0])


def test_a_gap_begins_anew() -> None:
    samples = [Sample(0, 5_000, 10.0), Sample(60_000, 65_000, 2.0), Sample(65_000, 70_000, 4.0)]
    assert [s.value for s in smoothed(samples, Smoothing(5_000, 100))] == [10.0, 2.0, 3.0]


def test_a_change_of_the_sampling_interval_weighs_by_time() -> None:
    samples = [Sample(0, 5_000, 1.0), *(Sample(at, at + 1_000, 6.0) for at in range(5_000, 10_000, 1_000))]
    assert smoothed(samples, Smoothing(5_000, 10))[-1].value == pytest.approx(3.5)
