"""A month of money to look into: as a busy cluster leaves it, made by the database itself.

Most jobs are short and hold one GPU; every hundredth holds eight, every five-hundredth for a hundred
hours. A few projects have most of the jobs, prices changed in the middle of the month, and what nobody
held is booked as idle.
"""

from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from alldata.kernel.intervals import DAY_MS, HOUR_MS
from alldata.tenancy.models import Project, Team
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from benchmarks.inside import fleet
from costing.models import PriceVersion
from costing.services.books import publish_prices
from costing.services.budgets import BudgetCommand, set_budget
from costing.services.capacity import note_supply
from costing.services.days import sum_day
from costing.services.lists import read_price_list
from scheduling.models import Allocation, Device, Job, Node

FIRST, DAYS, NODES, TEAMS, PROJECTS, NAMES = fleet.DAY, 30, 125, 4, 20, fleet.NAMES[:4]
END = FIRST + DAYS * DAY_MS
#: A job of a hundred hours on eight GPUs.
LONG, LONG_HOURS = 500, 100
#: Columns that matter to nobody here take the same value in every row.
JOBS = """
INSERT INTO scheduling_job (id, organisation_id, project_id, number, name, kind, mode, request_id, digest, entry_digest,
    submitted_by, profile_name, profile_version, profile_digest, demand, entry, follow_up, notices, policy, priority,
    deadline_policy, currency, grace_ms, timeout_ms, max_attempts, promise, state, reason, reason_facts, stop_requested,
    submitted_ms, changed_ms, started_ms, ended_ms, rev)
SELECT uuidv7(), %(org)s, (%(projects)s::uuid[])[1 + floor({projects} * luck * luck)], n, 'job ' || n, 'train',
    'training', n::text, 'd', 'e', 'b', 'p', '1.' || n %% 5, 'p', '{{}}', '{{}}', '{{}}', '[]', 'balanced', 0, 'soft',
    'CNY', 0, 3600000, 3, '{{}}', 'succeeded', '', '{{}}', '', at, at, at, at + hours * 3600000, 0
FROM (SELECT n, (n * 7919 %% 10007) / 10007.0 AS luck,
        %(day)s + (n::bigint * {span}) / {jobs} / 3600000 * 3600000 AS at,
        CASE WHEN n %% {long} = 0 THEN {long_hours}
             ELSE least(48, 1 + floor(-1.3 * ln((n * 104729 %% 9973 + 1) / 9974.0))) END::bigint AS hours
      FROM generate_series(1::bigint, {jobs}) AS n) AS made
"""
ENTRIES = """
INSERT INTO ledger_entry (id, hour_ms, upto_ms, node, device, dimension, bucket, attempt_id, job_id, project_id,
    price_version_id, revision, q, nano, booked_ms, correction)
SELECT uuidv7(), hour, hour + 3600000,
    (%(nodes)s::text[])[1 + (j.number::bigint * 104729 / 1009 + k) %% {devices} / 8],
    (%(devices)s::text[])[1 + (j.number::bigint * 104729 / 1009 + k) %% {devices}],
    dimension, bucket, j.id, j.id, j.project_id, (%(versions)s::uuid[])[1 + (hour >= %(changed)s)::int], 1,
    (j.number::bigint * 7919 + hour) %% 1000003 * 3600000, (j.number::bigint * 104729 + hour) %% 1000000007, 1, FALSE
FROM scheduling_job j, generate_series(j.started_ms, least(j.ended_ms, %(end)s) - 1, 3600000) AS hour,
    generate_series(0, CASE WHEN j.number %% 100 = 0 THEN 7 WHEN j.number %% 20 = 0 THEN 3 ELSE 0 END) AS k,
    unnest(%(names)s::text[]) AS dimension, unnest(ARRAY['used', 'allocated_idle']) AS bucket
"""
NOBODYS = """
INSERT INTO ledger_entry (id, hour_ms, upto_ms, node, device, dimension, bucket, price_version_id, revision, q, nano,
    booked_ms, correction)
SELECT uuidv7(), hour, hour + 3600000, (%(nodes)s::text[])[1 + d / 8], (%(devices)s::text[])[1 + d], 'hbm_bandwidth',
    'unallocated_idle', (%(versions)s::uuid[])[1 + (hour >= %(changed)s)::int], 1, 3600000, 1000000000, 1, FALSE
FROM generate_series(%(day)s, %(end)s - 1, 3600000) AS hour, generate_series(0, {devices} - 1) AS d
"""


def make_month(jobs: int) -> Viewer:
    """Fill the tables; who may see everything."""
    made = bootstrap_tenancy(username="bench", password="correct horse battery staple")
    changed = FIRST + DAYS // 2 * DAY_MS
    for at_ms, hourly in ((FIRST, "12.5"), (changed, "11.75")):
        publish_prices(read_price_list(fleet.PRICES.replace('"12.5"', f'"{hourly}"')), now_ms=at_ms)
    for number in range(NODES):
        fleet.make_node(number)
        note_supply(fleet.node_name(number), at_ms=FIRST)
    asked: dict[str, Any] = {
        "org": str(made.organisation_id),
        "projects": _projects(made.organisation_id),
        "day": FIRST,
        "end": END,
        "changed": changed,
        "versions": [str(version.id) for version in PriceVersion.objects.order_by("valid_from_ms")],
        "names": list(NAMES),
        "nodes": [fleet.node_name(number) for number in range(NODES)],
        "devices": [fleet.gpu(number, k) for number in range(NODES) for k in range(fleet.GPUS)],
    }
    sizes = {"jobs": jobs, "span": DAYS * DAY_MS - HOUR_MS, "projects": PROJECTS, "devices": NODES * fleet.GPUS}
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # the rows are right: check no key of millions
        for statement in (JOBS, ENTRIES, NOBODYS):
            cursor.execute(statement.format(**sizes, long=LONG, long_hours=LONG_HOURS), asked)
        cursor.execute("RESET session_replication_role")
        _claim(2, LONG)
        cursor.execute("ANALYZE")
        for day_ms in range(FIRST, END, DAY_MS):
            sum_day(day_ms)
        cursor.execute("VACUUM ANALYZE")
    viewer = viewer_of_user(User.objects.get(pk=made.user_id))
    _limit(viewer)
    return viewer


def _projects(organisation_id: Any) -> list[str]:
    """Twenty projects of four teams."""
    found = []
    for number in range(PROJECTS):
        team, _ = Team.objects.get_or_create(
            organisation_id=organisation_id,
            slug=f"t{number % TEAMS}",
            defaults={"name": f"team {number % TEAMS}"},
        )
        found.append(str(Project.objects.create(team=team, slug=f"p{number}", name=f"project {number}").id))
    return found


def _claim(*numbers: int) -> None:
    """The attempts and claims of the jobs that are looked into."""
    node = Node.objects.order_by("name")[0]
    for job in Job.objects.filter(number__in=numbers):
        assert job.started_ms is not None and job.ended_ms is not None
        attempt = fleet.attempt_row(job, node, job.started_ms, job.ended_ms)
        attempt.save()
        Allocation.objects.bulk_create(
            Allocation(
                attempt=attempt,
                device=device,
                dimension=name,
                amount=fleet.CAPACITIES[name],
                start_ms=job.started_ms,
                end_ms=job.ended_ms,
                state="released",
            )
            for device in Device.objects.filter(node=node)
            for name in NAMES
        )


def _limit(viewer: Viewer) -> None:
    """A budget for the organisation, each team and each project."""
    scopes = [("organisation", viewer.organisation_id)]
    scopes += [("team", pk) for pk in Team.objects.filter(slug__startswith="t").values_list("id", flat=True)]
    scopes += [("project", pk) for pk in Project.objects.filter(slug__startswith="p").values_list("id", flat=True)]
    for scope, scope_id in scopes:
        set_budget(viewer, BudgetCommand(scope, scope_id, 10**15, FIRST, END + DAY_MS), now_ms=FIRST)


def gpu_7() -> str:
    """A device to look into."""
    return fleet.gpu(0, 7)
