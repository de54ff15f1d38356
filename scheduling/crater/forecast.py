"""How long will it take, and will it be in time?

Durations are taken as lognormal: strictly positive, skewed to the late side, and fixed by two
quantiles. `on_time` is then closed form: with median m and 90 % quantile q,
sigma = ln(q/m) / 1.2816 and P(T <= t) = Phi(ln(t/m) / sigma).
"""

from collections.abc import Sequence
from math import erf, exp, log, sqrt
from statistics import fmean, median

from scheduling.crater.model import Runtime

Z90 = 1.2815515655446004
MIN_SIGMA = 0.05  # no history is so regular that the next run is certain to the per cent
#: Used for a job never run before: a stated guess, shown as "declared", replaced by the first run.
COLD_START = Runtime(p50_ms=120_000, p90_ms=480_000, source="declared")


def quantiles(durations_ms: Sequence[int]) -> Runtime | None:
    """Median and 90 % quantile of the next run, from past ones; None without history.

    The spread is widened by sqrt(1 + 1/n), and by a quarter of the log when only one run is known.
    """
    logs = sorted(log(duration) for duration in durations_ms if duration > 0)
    if not logs:
        return None
    middle, count = median(logs), len(logs)
    spread = sqrt(sum((x - fmean(logs)) ** 2 for x in logs) / (count - 1)) if count > 1 else 0.25
    sigma = max(spread, MIN_SIGMA) * sqrt(1 + 1 / count)
    return Runtime(round(exp(middle)), round(exp(middle + Z90 * sigma)), "history", count)


def on_time(runtime: Runtime, left_ms: int) -> float:
    """Probability that a job starting now ends within `left_ms`."""
    if left_ms <= 0:
        return 0.0
    if runtime.p90_ms <= runtime.p50_ms or runtime.p50_ms <= 0:
        return 1.0 if left_ms >= runtime.p50_ms else 0.0
    sigma = log(runtime.p90_ms / runtime.p50_ms) / Z90
    return 0.5 * (1 + erf(log(left_ms / runtime.p50_ms) / sigma / sqrt(2)))
