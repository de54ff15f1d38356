"""Ask every view of a month of money again and again; print what each took as JSON."""

import json
import statistics
import sys
import time
from collections.abc import Callable

from django.db import connection

from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.models import Project
from alldata.tenancy.viewer import Viewer
from benchmarks.inside.month import DAYS, END, FIRST, LONG, gpu_7, make_month
from costing.models import LedgerEntry
from costing.selectors.breakdown import breakdown
from costing.selectors.budgets import budgets_of
from costing.selectors.compare import compare, spend_of_profile
from costing.selectors.costs import cost_of_job
from costing.selectors.questions import By, Question
from costing.selectors.sparks import with_sparks
from costing.selectors.summary import capacity_cost, cost_by_project
from scheduling.models import Job


def views(viewer: Viewer) -> dict[str, Callable[[], object]]:
    """Every view with its widest question."""
    project = Project.objects.get(slug="p0")
    job, long = (str(Job.objects.get(number=number).id) for number in (2, LONG))
    half = FIRST + DAYS // 2 * DAY_MS

    def asks(by: By, **where: object) -> Callable[[], object]:
        question = Question(by, FIRST, END, **where)  # type: ignore[arg-type]
        return lambda: with_sparks(viewer, breakdown(viewer, question))

    return {
        "organisation": asks(By.ORGANISATION),
        "teams": asks(By.TEAM),
        "projects": asks(By.PROJECT),
        "projects of a team": asks(By.PROJECT, team_id=project.team_id),
        "jobs": asks(By.JOB),
        "jobs of a project": asks(By.JOB, project_id=project.id),
        "devices": asks(By.DEVICE),
        "capabilities": asks(By.CAPABILITY),
        "idle by cause": asks(By.BUCKET),
        "days": asks(By.DAY),
        "capabilities of a job": asks(By.CAPABILITY, job=job),
        "hours of a job": asks(By.HOUR, job=job),
        "capabilities of a long job": asks(By.CAPABILITY, job=long),
        "hours of a long job": asks(By.HOUR, job=long, limit=1000),
        "jobs of a device": asks(By.JOB, device=gpu_7()),
        "hours of a device": asks(By.HOUR, device=gpu_7(), limit=1000),
        "two periods": lambda: compare(viewer, Question(By.PROJECT, FIRST, half), Question(By.PROJECT, half, END)),
        "two profile versions": lambda: [spend_of_profile(viewer, f"p@1.{k}") for k in (1, 2)],
        "cost of a job": lambda: cost_of_job(viewer, job),
        "cost of a long job": lambda: cost_of_job(viewer, long),
        "summary": lambda: cost_by_project(viewer, from_ms=FIRST, to_ms=END),
        "capacity": lambda: capacity_cost(from_ms=FIRST, to_ms=END),
        "budgets": lambda: budgets_of(viewer, now_ms=END),
    }


def took_ms(ask: Callable[[], object]) -> float:
    """By the clock."""
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1000


def main(jobs: int, rounds: int) -> None:
    """Fill, ask, print. Each view's first answer, on a connection that knows nothing, stands beside its p95."""
    began = time.perf_counter()
    viewer = make_month(jobs)
    filled_s, first, p95 = time.perf_counter() - began, {}, {}
    for name, ask in views(viewer).items():
        connection.close()
        first[name] = round(took_ms(ask), 1)
        p95[name] = round(statistics.quantiles([took_ms(ask) for _ in range(rounds)], n=20)[-1], 1)
    answer = {
        "p95_ms": p95,
        "worst_p95_ms": max(p95.values()),
        "first_ms": first,
        "worst_first_ms": max(first.values()),
    }
    print(json.dumps(answer | {"jobs": jobs, "ledger_rows": LedgerEntry.objects.count(), "filled_s": round(filled_s)}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
