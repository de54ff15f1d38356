"""Is the endpoint good enough? Pure: figures and thresholds in, an outcome with its reasons out.

FAIL when something is certainly worse than asked; INCONCLUSIVE when the measurement cannot tell;
PASS when everything asked for is certainly met. FAIL outranks INCONCLUSIVE.

- Accuracy and the error rate (failed or wrong answers) do not depend on the generator: always judged.
- A saturated generator measures itself: p99 and rate are then not judged.
- The p99 of n answers is itself uncertain: how many of n lie above the true p99 is binomial, which
  gives two ranked answers that enclose it with 95 % confidence (loadtest.interval_ranks). Both below
  the limit: met; both above: failed; straddling: inconclusive. Under 368 answers the interval has no
  upper end: too few samples.
- A rate that was never asked for cannot be missed: asking below `qps_min` is inconclusive. One per
  cent is allowed for answers that fall just beyond the end of the window.
"""

from dataclasses import dataclass
from enum import StrEnum

from scheduling.serving.loadtest import LoadResult

RATE_TOLERANCE = 0.99


class Outcome(StrEnum):
    """The verdict in one word, worst last."""

    PASS = "pass"
    INCONCLUSIVE = "inconclusive"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What was asked for; None means it was not."""

    p99_ms_max: float | None = None
    qps_min: float | None = None
    error_rate_max: float | None = 0.01
    min_accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """One threshold and how it was met; `limit` and `got` are in `unit`."""

    code: str
    outcome: Outcome
    limit: float | None
    got: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The worst outcome and every reason that led to it or did not."""

    outcome: Outcome
    reasons: tuple[Reason, ...]


def judge(load: LoadResult, thresholds: Thresholds, accuracy: float | None) -> Verdict:
    """One reason per threshold asked for, in a fixed order, and the worst of their outcomes."""
    judged = (
        _accuracy(accuracy, thresholds.min_accuracy),
        _errors(load, thresholds.error_rate_max),
        _saturation(load),
        _rate(load, thresholds.qps_min),
        _p99(load, thresholds.p99_ms_max),
    )
    reasons = tuple(reason for reason in judged if reason is not None)
    ranks = list(Outcome)
    worst = max((reason.outcome for reason in reasons), key=ranks.index, default=Outcome.PASS)
    return Verdict(worst, reasons)


def _accuracy(accuracy: float | None, limit: float | None) -> Reason | None:
    if limit is None:
        return None
    if accuracy is None:
        return Reason("accuracy_unknown", Outcome.INCONCLUSIVE, limit, None, "ratio")
    return Reason("accuracy", Outcome.PASS if accuracy >= limit else Outcome.FAIL, limit, accuracy, "ratio")


def _errors(load: LoadResult, limit: float | None) -> Reason | None:
    if limit is None:
        return None
    if load.requests == 0:
        return Reason("no_answers", Outcome.FAIL, None, 0, "requests")
    rate = (load.failures + load.wrong) / load.requests
    return Reason("error_rate", Outcome.PASS if rate <= limit else Outcome.FAIL, limit, rate, "ratio")


def _saturation(load: LoadResult) -> Reason | None:
    if not load.generator_saturated:
        return None
    return Reason("generator_saturated", Outcome.INCONCLUSIVE, load.asked_qps, load.qps, "qps")


def _rate(load: LoadResult, limit: float | None) -> Reason | None:
    if limit is None or load.generator_saturated:
        return None
    if load.qps >= limit * RATE_TOLERANCE:
        return Reason("qps", Outcome.PASS, limit, load.qps, "qps")
    if load.asked_qps < limit:
        return Reason("asked_too_little", Outcome.INCONCLUSIVE, limit, load.asked_qps, "qps")
    return Reason("qps", Outcome.FAIL, limit, load.qps, "qps")


def _p99(load: LoadResult, limit: float | None) -> Reason | None:
    if limit is None or load.generator_saturated or load.requests == 0:
        return None
    if load.p99_low_ms > limit:
        return Reason("p99", Outcome.FAIL, limit, load.p99_ms, "ms")
    if load.p99_high_ms is None:
        return Reason("too_few_samples", Outcome.INCONCLUSIVE, limit, load.p99_ms, "ms")
    if load.p99_high_ms > limit:
        return Reason("p99_uncertain", Outcome.INCONCLUSIVE, limit, load.p99_ms, "ms")
    return Reason("p99", Outcome.PASS, limit, load.p99_ms, "ms")
