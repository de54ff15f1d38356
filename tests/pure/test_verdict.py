"""The verdict is certain only where the figures are."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduling.serving.loadtest import LoadResult
from scheduling.serving.verdict import Outcome, Thresholds, judge

GOOD = LoadResult(
    requests=1000,
    failures=0,
    wrong=0,
    qps=200.0,
    asked_qps=200.0,
    p50_ms=1.5,
    p95_ms=2.5,
    p99_ms=4.0,
    p99_low_ms=3.0,
    p99_high_ms=5.5,
    max_ms=9.0,
    generator_saturated=False,
    duration_ms=5000,
    unasked=0,
    errors={},
)
ASKED = Thresholds(p99_ms_max=50, qps_min=100, error_rate_max=0.01, min_accuracy=0.95)


def codes(load: LoadResult, thresholds: Thresholds = ASKED, accuracy: float | None = 0.98) -> dict[str, Outcome]:
    return {reason.code: reason.outcome for reason in judge(load, thresholds, accuracy).reasons}


def test_everything_met_passes_with_a_reason_each() -> None:
    assert judge(GOOD, ASKED, 0.98).outcome is Outcome.PASS
    assert codes(GOOD).keys() == {"accuracy", "error_rate", "qps", "p99"}


@pytest.mark.parametrize(
    ("change", "code", "outcome"),
    [
        ({"p99_low_ms": 51.0, "p99_ms": 60.0, "p99_high_ms": 70.0}, "p99", Outcome.FAIL),
        ({"p99_low_ms": 45.0, "p99_ms": 49.0, "p99_high_ms": 55.0}, "p99_uncertain", Outcome.INCONCLUSIVE),
        ({"p99_high_ms": None}, "too_few_samples", Outcome.INCONCLUSIVE),
        ({"qps": 90.0}, "qps", Outcome.FAIL),
        ({"qps": 90.0, "asked_qps": 90.0}, "asked_too_little", Outcome.INCONCLUSIVE),
        ({"qps": 99.5}, "qps", Outcome.PASS),
        ({"failures": 8, "wrong": 4}, "error_rate", Outcome.FAIL),
        ({"generator_saturated": True}, "generator_saturated", Outcome.INCONCLUSIVE),
        ({"requests": 0}, "no_answers", Outcome.FAIL),
    ],
)
def test_each_threshold_is_judged(change: dict[str, float], code: str, outcome: Outcome) -> None:
    assert codes(replace(GOOD, **change))[code] is outcome  # type: ignore[arg-type]


def test_a_saturated_generator_judges_neither_latency_nor_rate() -> None:
    assert {"p99", "qps"}.isdisjoint(codes(replace(GOOD, generator_saturated=True, p99_low_ms=99.0, qps=1.0)))


def test_accuracy_below_and_unknown() -> None:
    assert codes(GOOD, accuracy=0.94)["accuracy"] is Outcome.FAIL
    assert codes(GOOD, accuracy=None)["accuracy_unknown"] is Outcome.INCONCLUSIVE


def test_what_was_not_asked_is_not_judged() -> None:
    assert judge(GOOD, Thresholds(error_rate_max=None), None).reasons == ()


@given(st.floats(0.1, 200), st.floats(0.1, 200), st.floats(0.1, 200), st.booleans())
def test_a_looser_limit_never_makes_the_outcome_worse(low: float, width: float, limit: float, saturated: bool) -> None:
    load = replace(GOOD, p99_low_ms=low, p99_ms=low, p99_high_ms=low + width, generator_saturated=saturated)
    ranks = list(Outcome)
    strict, loose = (judge(load, Thresholds(p99_ms_max=at), 1.0).outcome for at in (limit, limit * 2))
    assert ranks.index(loose) <= ranks.index(strict)
