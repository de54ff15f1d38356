"""How is an endpoint put under load at a stated rate, and what did the load test measure?

Locust runs as an attempt of its own (assets/locustfile.py): importing it here would patch the
sockets of our processes. `read_load` turns the load.json it leaves into figures; it was written
by a job, so it is checked field by field.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alldata.kernel.errors import Invalid
from scheduling.serving.report import ModelReport
from scheduling.serving.triton import infer_body, infer_path
from scheduling.serving.workload import WorkFile, Workload, asset

LOAD_FILE = "load.json"
LARGEST_LOAD_BYTES = 4 * 1024 * 1024
WARM_UP_MS = 1_000
TIMEOUT_MS = 5_000
SPARE_S = 30
MOST_BUCKETS = 20_000
Z_95 = 1.96
TAIL = 0.025
EXACT_UP_TO = 20_000


class LoadInvalid(Invalid):
    """What the load test left is not a result."""

    code = "load_invalid"

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return f"load.json: {self.why}"


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What is asked of the endpoint. `users` questions can be in flight at once."""

    model: str
    rate_qps: int
    duration_s: int
    users: int = 8


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What the measured part saw. The p99's 95 % interval has no upper end when answers were too few."""

    requests: int
    failures: int
    wrong: int
    qps: float  # right answers in time, per second
    asked_qps: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    p99_low_ms: float
    p99_high_ms: float | None
    max_ms: float
    generator_saturated: bool
    duration_ms: int
    unasked: int
    errors: Mapping[str, int]


def locust_workload(plan: LoadPlan, *, target_port: int, report: ModelReport) -> Workload:
    """Ask at `rate_qps` for `duration_s` after a second of warm-up; leaves load.json."""
    content = {
        "path": infer_path(plan.model),
        "rate_qps": plan.rate_qps,
        "users": plan.users,
        "warm_up_ms": WARM_UP_MS,
        "duration_ms": plan.duration_s * 1000,
        "timeout_ms": TIMEOUT_MS,
        "bodies": [infer_body(row) for row in report.samples.rows],
        "labels": report.samples.labels,
    }
    users = str(plan.users)
    return Workload(
        command=(
            *("python", "-m", "locust", "-f", "locustfile.py", "--headless", "--only-summary"),
            *("-u", users, "-r", users, "-t", f"{plan.duration_s + SPARE_S}s"),
            *("--host", f"http://127.0.0.1:{target_port}"),
        ),
        files=(
            WorkFile("locustfile.py", text=asset("locustfile.py")),
            WorkFile("plan.json", text=json.dumps(content)),
        ),
        outputs=(LOAD_FILE,),
    )


def read_load(path: Path) -> LoadResult:
    """Errors: LoadInvalid."""
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(LARGEST_LOAD_BYTES))
        return load_result(content)
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as fault:
        raise LoadInvalid(f"{type(fault).__name__}: {fault}") from fault


def load_result(content: Mapping[str, Any]) -> LoadResult:
    """Figures from the counts; percentiles by nearest rank over buckets one per cent wide."""
    times_us = {int(taken): count for taken, count in _counts(content["times_us"]).items()}
    requests, duration_ms = _whole(content["requests"]), _whole(content["duration_ms"])
    if sum(times_us.values()) != requests or duration_ms == 0:
        raise ValueError("its counts do not add up")
    low, high = interval_ranks(requests, 0.99)
    return LoadResult(
        requests=requests,
        failures=_whole(content["failures"]),
        wrong=_whole(content["wrong"]),
        qps=_whole(content["in_time"]) * 1000 / duration_ms,
        asked_qps=float(_whole(content["asked_qps"])),
        p50_ms=_at_rank(times_us, math.ceil(requests * 0.50)),
        p95_ms=_at_rank(times_us, math.ceil(requests * 0.95)),
        p99_ms=_at_rank(times_us, math.ceil(requests * 0.99)),
        p99_low_ms=_at_rank(times_us, low),
        p99_high_ms=None if high > requests else _at_rank(times_us, high),
        max_ms=_whole(content["max_us"]) / 1000,
        generator_saturated=content["generator"]["saturated"] is True,
        duration_ms=duration_ms,
        unasked=_whole(content["unasked"]),
        errors=_counts(content["errors"]),
    )


def interval_ranks(count: int, quantile: float) -> tuple[int, int]:
    """Between which ranks the true quantile lies with 95 % confidence; the second exceeds `count` when none does.

    How many of `count` answers are slower than the true quantile is binomial. Beyond EXACT_UP_TO
    answers its normal approximation is as good.
    """
    slower = 1 - quantile
    if count > EXACT_UP_TO:
        middle, spread = count * quantile, Z_95 * math.sqrt(count * quantile * slower)
        return math.floor(middle - spread), math.ceil(middle + spread) + 1
    chance = reached = quantile**count
    few, many = -1, 0
    while reached < 1 - TAIL and many < count:
        few = many if reached <= TAIL else few
        many += 1
        chance *= (count - many + 1) / many * slower / quantile
        reached += chance
    return max(1, count - many), count - few


def _at_rank(times_us: Mapping[int, int], rank: int) -> float:
    """The time of the rank-th fastest answer, in ms; 0 when there was none."""
    seen = 0
    for taken in sorted(times_us):
        seen += times_us[taken]
        if seen >= rank:
            return taken / 1000
    return max(times_us, default=0) / 1000


def _whole(found: object) -> int:
    if type(found) is not int or found < 0:
        raise ValueError(f"{found!r} is not a count")
    return found


def _counts(found: object) -> dict[str, int]:
    if not isinstance(found, dict) or len(found) > MOST_BUCKETS:
        raise ValueError("a table of counts is expected")
    return {str(name)[:60]: _whole(count) for name, count in found.items()}
