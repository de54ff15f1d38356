"""Fill a month of ledger for many jobs, sum its days, then ask every view again and again."""

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from alldata.kernel.intervals import DAY_MS, HOUR_MS
from alldata.tenancy.models import Project, Team
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from benchmarks.inside import fleet
from costing.models import LedgerEntry, PriceVersion
from costing.selectors.breakdown import breakdown
from costing.selectors.budgets import budgets_of
from costing.selectors.compare import compare
from costing.selectors.costs import cost_of_job
from costing.selectors.questions import By, Question
from costing.selectors.summary import cost_by_project
from costing.services.books import publish_prices
from costing.services.budgets import BudgetCommand, set_budget
from costing.services.days import sum_day
from costing.services.lists import read_price_list
from scheduling.models import Job

DAYS, DEVICES, PROJECTS = 30, 1000, 20
END = fleet.DAY + DAYS * DAY_MS
JOBS = """
INSERT INTO scheduling_job (id, organisation_id, project_id, number, name, kind, mode, request_id, digest, entry_digest,
    submitted_by, profile_name, profile_version, profile_digest, demand, entry, follow_up, notices, policy, priority,
    deadline_policy, currency, grace_ms, timeout_ms, max_attempts, promise, state, reason, reason_facts, stop_requested,
    submitted_ms, changed_ms, started_ms, ended_ms, rev)
SELECT uuidv7(), %(org)s, (%(projects)s::uuid[])[1 + n %% {projects}], n, 'job ' || n, 'train', 'training', n::text,
    'd', 'e', 'b', 'p', '1.' || n %% 5, 'p', '{{}}', '{{}}', '{{}}', '[]', 'balanced', 0, 'soft', 'CNY', 0, 3600000, 3,
    '{{}}', 'succeeded', '', '{{}}', '', at, at, at, at + 7200000, 0
FROM (SELECT n, %(day)s + (n::bigint * {span}) / {jobs} / 3600000 * 3600000 AS at
      FROM generate_series(1, {jobs}) AS n) AS made
"""
ENTRIES = """
INSERT INTO ledger_entry (id, hour_ms, upto_ms, node, device, dimension, bucket, attempt_id, job_id, project_id,
    price_version_id, revision, q, nano, booked_ms)
SELECT uuidv7(), j.submitted_ms + hour * 3600000, j.submitted_ms + (hour + 1) * 3600000, 'node-' || j.number %% 125,
    'GPU-' || j.number %% {devices}, dimension, bucket, j.id, j.id, j.project_id, %(version)s, 1,
    (j.number * 7919) %% 1000003 * 3600000, (j.number * 104729) %% 1000000007, 1
FROM scheduling_job j, generate_series(0, 1) AS hour, unnest(%(names)s::text[]) AS dimension,
    unnest(ARRAY['used', 'allocated_idle']) AS bucket
"""
NOBODYS = """
INSERT INTO ledger_entry (id, hour_ms, upto_ms, node, device, dimension, bucket, price_version_id, revision, q, nano,
    booked_ms)
SELECT uuidv7(), hour, hour + 3600000, 'node-' || device %% 125, 'GPU-' || device, 'hbm_bandwidth', 'unallocated_idle',
    %(version)s, 1, 3600000, 1000000000, 1
FROM generate_series(%(day)s, %(end)s - 1, 3600000 * 2) AS hour, generate_series(0, {devices} - 1) AS device
"""


def make_month(jobs: int) -> Viewer:
    """Jobs of two hours on four capabilities, by twenty projects of four teams, and idle devices beside them."""
    made = bootstrap_tenancy(username="bench", password="correct horse battery staple")
    publish_prices(read_price_list(fleet.PRICES), now_ms=fleet.DAY)
    for number in range(PROJECTS):
        team, _ = Team.objects.get_or_create(
            organisation_id=made.organisation_id, slug=f"t{number % 4}", defaults={"name": f"team {number % 4}"}
        )
        Project.objects.create(team=team, slug=f"p{number}", name=f"project {number}")
    viewer = viewer_of_user(User.objects.get(pk=made.user_id))
    asked: dict[str, Any] = {
        "org": str(viewer.organisation_id),
        "projects": [str(p) for p in Project.objects.filter(slug__startswith="p").values_list("id", flat=True)][
            :PROJECTS
        ],
        "day": fleet.DAY,
        "end": END,
        "version": str(PriceVersion.objects.get().id),
        "names": list(fleet.NAMES[:4]),
    }
    sizes = {"jobs": jobs, "span": DAYS * DAY_MS - 3 * HOUR_MS, "projects": PROJECTS, "devices": DEVICES}
    with connection.cursor() as cursor:
        for statement in (JOBS, ENTRIES, NOBODYS):
            cursor.execute(statement.format(**sizes), asked)
        for day_ms in range(fleet.DAY, END, DAY_MS):
            sum_day(day_ms)
        cursor.execute("VACUUM ANALYZE")
    set_budget(
        viewer,
        BudgetCommand("organisation", viewer.organisation_id, 10**15, fleet.DAY, END + DAY_MS),
        now_ms=fleet.DAY,
    )
    return viewer


def views(viewer: Viewer) -> dict[str, Callable[[], object]]:
    """Every view with its widest question."""
    job = str(Job.objects.order_by("number")[1].id)
    project, team = (Project.objects.get(slug="p3"), Project.objects.get(slug="p3").team_id)

    def asks(by: By, **where: object) -> Callable[[], object]:
        question = Question(by, fleet.DAY, END, **where)  # type: ignore[arg-type]
        return lambda: breakdown(viewer, question)

    half = fleet.DAY + DAYS // 2 * DAY_MS
    return {
        "organisation": asks(By.ORGANISATION),
        "teams": asks(By.TEAM),
        "projects": asks(By.PROJECT),
        "projects of a team": asks(By.PROJECT, team_id=team),
        "jobs": asks(By.JOB),
        "jobs of a project": asks(By.JOB, project_id=project.id),
        "devices": asks(By.DEVICE),
        "capabilities": asks(By.CAPABILITY),
        "idle by cause": asks(By.BUCKET),
        "days": asks(By.DAY),
        "capabilities of a job": asks(By.CAPABILITY, job=job),
        "hours of a job": asks(By.HOUR, job=job),
        "jobs of a device": asks(By.JOB, device="GPU-7"),
        "hours of a device": asks(By.HOUR, device="GPU-7", limit=1000),
        "two periods": lambda: compare(viewer, Question(By.PROJECT, fleet.DAY, half), Question(By.PROJECT, half, END)),
        "cost of a job": lambda: cost_of_job(viewer, job),
        "summary": lambda: cost_by_project(viewer, from_ms=fleet.DAY, to_ms=END),
        "budgets": lambda: budgets_of(viewer, now_ms=END),
    }


def p95_ms(ask: Callable[[], object], rounds: int) -> float:
    """The 95th percentile of the rounds, the first (cold) one left out."""
    ask()
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        ask()
        took.append((time.perf_counter() - began) * 1000)
    return round(statistics.quantiles(took, n=20)[-1], 1)


def main(jobs: int, rounds: int) -> None:
    """Fill, ask, print."""
    viewer = make_month(jobs)
    found = {name: p95_ms(ask, rounds) for name, ask in views(viewer).items()}
    rows = LedgerEntry.objects.count()
    print(json.dumps({"p95_ms": found, "worst_p95_ms": max(found.values()), "jobs": jobs, "ledger_rows": rows}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
