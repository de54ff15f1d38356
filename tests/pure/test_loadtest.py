"""Figures come from the counts, and a load.json that lies is refused."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.serving.loadtest import LoadInvalid, LoadPlan, interval_ranks, load_result, locust_workload, read_load
from scheduling.serving.report import ModelReport, Samples

REPORT = ModelReport(0.98, 2, 10, True, Samples(((0.0, 1.0), (1.0, 0.0)), (3, 4)))


def measured(times_us: dict[str, int], **changes: object) -> dict[str, object]:
    requests = sum(times_us.values())
    content: dict[str, object] = {
        "asked_qps": 200,
        "duration_ms": 5000,
        "requests": requests,
        "failures": 0,
        "errors": {},
        "wrong": 0,
        "in_time": requests,
        "unasked": 0,
        "max_us": 9000,
        "times_us": times_us,
        "generator": {"saturated": False},
    }
    return content | changes


def test_percentiles_are_nearest_ranks_in_milliseconds() -> None:
    load = load_result(measured({"1000": 500, "2000": 450, "3000": 40, "8000": 10}))
    assert (load.p50_ms, load.p95_ms, load.p99_ms, load.max_ms) == (1.0, 2.0, 3.0, 9.0)
    assert load.qps == 200.0


def test_no_answers_is_a_result_too() -> None:
    load = load_result(measured({}))
    assert (load.requests, load.p99_ms, load.p99_high_ms) == (0, 0.0, None)


@pytest.mark.parametrize(
    "change", [{"requests": 7}, {"wrong": -1}, {"duration_ms": 0}, {"times_us": []}, {"generator": 1}, {"in_time": "9"}]
)
def test_counts_that_cannot_be_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "load.json"
    path.write_text(json.dumps(measured({"1000": 5}) | change))
    with pytest.raises(LoadInvalid):
        read_load(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[" * 100_000])
def test_what_is_no_result_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "load.json").write_text(text)
    with pytest.raises(LoadInvalid):
        read_load(tmp_path / "load.json")


def at_most(slower: int, count: int) -> float:
    """The chance that at most so many of `count` answers lie above the true p99."""
    return sum(math.comb(count, k) * 0.01**k * 0.99 ** (count - k) for k in range(slower + 1))


@settings(max_examples=30, deadline=None)
@given(st.integers(368, 1500))
def test_the_interval_holds_the_true_quantile_with_95_percent(count: int) -> None:
    low, high = interval_ranks(count, 0.99)
    assert 1 <= low < high <= count
    assert at_most(count - high, count) <= 0.025 + 1e-9
    assert at_most(count - low, count) >= 0.975 - 1e-9


def test_too_few_answers_have_no_upper_end() -> None:
    assert interval_ranks(367, 0.99)[1] == 368
    assert interval_ranks(368, 0.99)[1] == 368


def test_exact_and_approximate_intervals_meet() -> None:
    exact, rough = interval_ranks(20_000, 0.99), interval_ranks(20_001, 0.99)
    assert all(abs(a - b) <= 4 for a, b in zip(exact, rough, strict=True))


def test_the_plan_of_the_generator_is_complete() -> None:
    workload = locust_workload(LoadPlan("digits", 200, 5), target_port=18001, report=REPORT)
    plan = json.loads(next(file.text or "" for file in workload.files if file.name == "plan.json"))
    assert plan["path"] == "/v2/models/digits/infer" and plan["labels"] == [3, 4] and len(plan["bodies"]) == 2
    assert workload.as_entry()["outputs"] == ["load.json"] and "http://127.0.0.1:18001" in workload.command
