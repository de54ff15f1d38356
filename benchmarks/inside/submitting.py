"""How fast are jobs taken in over REST, one a request?

Every submission pays for all that it always pays for: token, roles, shape, profile, forecast, three budgets in force,
number, audit, fact. Ten codes that ran before on five shapes; a third has no deadline, a third a soft one, a tenth a
hard one, a third a cap. Nothing places what was submitted meanwhile, so the queue only grows. `room`: most of the
cluster is free. `full`: a job holds every machine, so each submission is told when it would start, if that can be told.
"""

import itertools
import json
import secrets
import statistics
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from alldata.kernel import clock
from benchmarks.inside.asking import Heard, Make, Web, request_of
from scheduling.models import Job

CONNECTIONS, SHAPES, CODES = 8, 5, 10
PATH = "/api/v1/jobs"


def body(number: int) -> dict[str, Any]:
    """The n-th of thirty different submissions."""
    asked: dict[str, Any] = {
        "name": f"train {number % CODES}",
        "profile": f"shape-{number % SHAPES}@1.0",
        "entry": {
            "command": ["python", "train.py"],
            "files": [{"name": "train.py", "text": f"print({number % CODES})\n"}],
        },
    }
    if number % 3:
        later = datetime.fromtimestamp(clock.now_ms() // 1000 + 7200 + number % 30 * 600, UTC)
        asked |= {"deadline": later.isoformat(), "deadline_policy": "hard" if number % 10 == 1 else "soft"}
    if number % 3 == 2:
        asked["budget"] = "500"
    return asked


def maker(token: str) -> Make:
    """Submissions of one connection, each with a key of its own."""
    bodies = [json.dumps(body(number)).encode() for number in range(30)]
    run, start = secrets.token_hex(4), secrets.randbelow(30)

    def make(number: int) -> bytes:
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": f"{run}-{number}"}
        return request_of("POST", PATH, headers, bodies[(start + number) % 30])

    return make


def submissions(web: Web, token: str, seconds: float, rounds: int) -> dict[str, Any]:
    """The median run of a rate."""
    web.hear([maker(token) for _ in range(CONNECTIONS)], 1.0)  # both workers have met everything
    heard = [web.hear([maker(token) for _ in range(CONNECTIONS)], seconds) for _ in range(rounds)]
    return {
        "per_s": round(_median(heard, lambda run: run.per_s), 1),
        "p50_ms": round(_median(heard, lambda run: run.at(50)), 1),
        "p99_ms": round(_median(heard, lambda run: run.at(99)), 1),
        "web_cpu_ms": round(_median(heard, lambda run: run.web_ms), 2),
        "postgres_cpu_ms": round(_median(heard, lambda run: run.postgres_ms), 2),
        "waiting": Job.objects.filter(state="queued").count(),
    }


def _median(heard: list[Heard], value: Any) -> float:
    return float(statistics.median(map(value, heard)))


def submit_each(token: str) -> None:
    """One of each code, so that all are known."""
    for number in range(CODES):
        _submit(token, number)


def queries(token: str) -> int:
    """Statements of a submission in a process that has met its like."""
    for number in range(SHAPES):
        _submit(token, number)
    with CaptureQueriesContext(connection) as seen:
        _submit(token, 0)
    return len(seen)


_keys = itertools.count()


def _submit(token: str, number: int) -> None:
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": f"own-{next(_keys)}"}
    answer = Client(HTTP_HOST="127.0.0.1").post(PATH, body(number), content_type="application/json", headers=headers)
    if answer.status_code != 202:
        raise RuntimeError(answer.content.decode())
