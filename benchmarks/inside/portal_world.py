"""A portal to ask: people, profiles and budgets, 10,000 devices, a million jobs, and codes that ran before.

Written as rows, for speed; everything a submission looks at is there and in force. 157 machines of eight GPUs report
eight capabilities each (10,048 cells); the others are the mixed cluster of clusters.py.
"""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.db.models.functions import Coalesce

from alldata.kernel.ids import uuid7
from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.models import Project, Team
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.services.tokens import issue_token
from alldata.tenancy.viewer import Viewer
from benchmarks import clusters
from benchmarks.inside import fleet
from costing.services.books import ensure_price_book
from costing.services.budgets import BudgetCommand, set_budget
from monitoring.services.ingest import ingest_windows
from monitoring.services.partitions import ensure_partition
from profiles.services import ensure_published
from scheduling.models import Allocation, Attempt, Device, DeviceCapacity, Job, Node

REPORTING, MIXED, PROJECTS, CODES, RUNS = 157, 1_390, 10, 10, 50
DIMENSIONS = ("cpu_millicores", "memory_bytes", "gpu_sm", "gpu_memory_bytes")
TOLD = {name: {"source": "driver", "quality": "measured"} for name in fleet.NAMES}
PROFILE = """
name: {name}
version: "1.0"
description: A benchmark asks for it.
resources:
  - type: cpu
    capabilities: [{{name: cores, amount: {cores}}}]
  - type: memory
    capabilities: [{{name: memory_gib, amount: {gib}}}]
  - type: gpu
    count: {gpus}
    capabilities: [{{name: sm_utilization, target: {share}}}, {{name: gpu_memory_bytes, target: {share}}}]
alignment: {{same: node}}
"""
SHAPES = ((2, 8, 1, 0.25), (4, 16, 1, 0.5), (8, 32, 1, 1), (16, 64, 2, 1), (32, 128, 4, 1))
#: A million jobs as years of use leave them.
JOBS = """
INSERT INTO scheduling_job (id, organisation_id, project_id, number, name, kind, mode, request_id, digest, entry_digest,
    submitted_by, profile_name, profile_version, profile_digest, demand, entry, follow_up, notices, policy, priority,
    deadline_policy, deadline_ms, cap_nano, currency, grace_ms, timeout_ms, max_attempts, promise, state, reason,
    reason_facts, stop_requested, submitted_ms, changed_ms, started_ms, ended_ms, deadline_met, rev)
SELECT uuidv7(), %(org)s, (%(projects)s::uuid[])[1 + n %% {projects}], n, 'job ' || n, 'train', 'training',
    'made-' || n, 'd', 'e' || n %% 1000, 'b', 'p', '1.' || n %% 5, 'p', '{{}}', '{{"command": ["true"]}}', '{{}}', '[]',
    'deadline_aware', 0, 'soft', at + 7200000, 5000000000, 'CNY', 0, 86400000, 3,
    '{{"on_time": 0.9, "chance": 0.9, "cost_nano": 100, "warnings": [], "finish_ms": null, "forecast_source": ""}}',
    (ARRAY['succeeded', 'failed', 'cancelled'])[1 + (n %% 20 = 0)::int + (n %% 50 = 0)::int], '', '{{}}', '', at, at,
    at, at + 600000, TRUE, 3
FROM (SELECT n, %(now)s - ({jobs} - n) * 60000 - 3600000 AS at FROM generate_series(1::bigint, {jobs}) AS n) AS made
"""


@dataclass(frozen=True, slots=True)
class Home:
    """Who asks, and with what."""

    viewer: Viewer
    token: str
    cookie: str
    projects: tuple[UUID, ...]


def make_home(now_ms: int) -> Home:
    """An organisation with prices, profiles, budgets in force and ten projects; an administrator and a token."""
    made = bootstrap_tenancy(username="bench", password="correct horse battery staple")
    ensure_price_book(now_ms=now_ms)
    team = Team.objects.get(projects=made.project_id)
    others = [Project.objects.create(team=team, slug=f"p{n}", name=f"project {n}") for n in range(1, PROJECTS)]
    user = User.objects.get(pk=made.user_id)
    viewer = viewer_of_user(user)
    for at, (cores, gib, gpus, share) in enumerate(SHAPES):
        text = PROFILE.format(name=f"shape-{at}", cores=cores, gib=gib, gpus=gpus, share=share)
        ensure_published(viewer, text, now_ms=now_ms)
    today = now_ms // DAY_MS * DAY_MS
    scopes = [("organisation", viewer.organisation_id), ("team", team.id), ("project", made.project_id)]
    for scope, scope_id in scopes:
        set_budget(viewer, BudgetCommand(scope, scope_id, 10**17, today, today + 30 * DAY_MS), now_ms=now_ms)
    token = issue_token(user_id=user.pk, project_id=made.project_id, name="bench", now_ms=now_ms)
    return Home(viewer, token, _signed_in(user), (made.project_id, *(project.id for project in others)))


def _signed_in(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def make_reporting(now_ms: int) -> int:
    """The machines that agents watch, with their newest windows; returns the cells of the heatmap."""
    ensure_partition(fleet.DAY)
    for number in range(REPORTING):
        fleet.make_node(number)
    Device.objects.update(provenance=TOLD)
    Node.objects.update(seen_ms=now_ms + DAY_MS)
    for number in range(REPORTING):
        ingest_windows(list(fleet.windows_of_day(number, 1)), agent=fleet.node_name(number), now_ms=now_ms)
    return REPORTING * fleet.PER_WINDOW


def make_mixed(now_ms: int) -> int:
    """The rest of the cluster; returns the devices of all."""
    rows, devices, capacities = [], [], []
    for node in clusters.nodes(MIXED):
        row = Node(name=node.name, engine="fake", registered_ms=now_ms, seen_ms=now_ms + DAY_MS, simulated=True)
        rows.append(row)
        for known in node.devices:
            device = Device(uuid=known.uuid, node=row, type=known.type, name=known.type)
            device.model = str(known.attributes.get("model", ""))
            device.cpus = list(range(known.capacity.get("cpu_millicores", 0) // 1000))
            devices.append(device)
            amounts = {f"capacity_{name}": amount for name, amount in known.capacity.items()}
            capacities.append(DeviceCapacity(device=device, valid_from_ms=now_ms, **amounts))
    Node.objects.bulk_create(rows, batch_size=1000)
    Device.objects.bulk_create(devices, batch_size=2000)
    DeviceCapacity.objects.bulk_create(capacities, batch_size=2000)
    return Device.objects.count()


def make_jobs(home: Home, count: int, now_ms: int) -> None:
    """Jobs numbered 1 to count, all over."""
    asked: dict[str, Any] = {
        "org": home.viewer.organisation_id,
        "projects": [str(key) for key in home.projects],
        "now": now_ms,
    }
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # the rows are right: check no key of millions
        cursor.execute(JOBS.format(jobs=count, projects=PROJECTS), asked)
        cursor.execute("RESET session_replication_role")
        cursor.execute("UPDATE tenancy_organisation SET last_job_number = %s", [count])


def make_past(now_ms: int) -> None:
    """Every submitted job becomes a code that ran fifty times; nothing of it waits any more."""
    node = Node.objects.filter(name="n00000").get()
    codes = list(Job.objects.filter(state="queued").order_by("number")[:CODES])
    number = Job.objects.order_by("-number").values_list("number", flat=True)[0]
    jobs, attempts = [], []
    for code in codes:
        pick: dict[str, Any] = {"device": f"{node.name}/gpu0", "type": "gpu", "amounts": {}, "cpus": []}
        for run in range(RUNS):
            number += 1
            columns = {f.attname: getattr(code, f.attname) for f in Job._meta.concrete_fields}
            ended_ms = now_ms - 60_000 * (run + 1)
            key = uuid7()
            ends = {"submitted_ms": ended_ms - 400_000, "started_ms": ended_ms - 300_000, "ended_ms": ended_ms}
            told = {"state": "succeeded", "deadline_met": True, "deadline_ms": now_ms}
            jobs.append(Job(**columns | ends | told | {"id": key, "number": number, "request_id": str(key)}))
            attempts.append(_attempt(jobs[-1], node, {"picks": [pick]}))
    Job.objects.bulk_create(jobs)
    Attempt.objects.bulk_create(attempts)
    Job.objects.filter(state="queued").update(state="cancelled", ended_ms=now_ms)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tenancy_organisation SET last_job_number = %s", [number])
        cursor.execute("VACUUM ANALYZE")


def _attempt(job: Job, node: Node, placement: dict[str, object]) -> Attempt:
    assert job.started_ms is not None and job.ended_ms is not None
    made = fleet.attempt_row(job, node, job.started_ms, job.ended_ms)
    made.placement = json.loads(json.dumps(placement))
    return made


def fill(now_ms: int) -> None:
    """One job on every machine of the mixed cluster, holding all of it since up to an hour."""
    sample = Job.objects.filter(state="succeeded").order_by("-number")[0]
    columns = {f.attname: getattr(sample, f.attname) for f in Job._meta.concrete_fields}
    jobs, attempts, claims = [], [], []
    for at, node in enumerate(Node.objects.exclude(name__startswith="node-").prefetch_related("devices__capacity")):
        key, since_ms = uuid7(), now_ms - at * 2_500
        told = {"id": key, "number": -at, "request_id": str(key), "state": "active", "ended_ms": None}
        jobs.append(Job(**columns | told | {"submitted_ms": since_ms, "started_ms": since_ms, "deadline_met": None}))
        held = [(d, name, amount) for d in node.devices.all() for name, amount in _amounts(d)]
        picks = [
            {"device": d.uuid, "type": d.type, "amounts": dict(_amounts(d)), "cpus": d.cpus, "numa_node": None}
            for d in node.devices.all()
        ]
        attempt = _attempt(Job(id=key, project_id=sample.project_id, started_ms=since_ms, ended_ms=since_ms), node, {})
        attempt.state, attempt.ended_ms = "running", None
        attempt.placement = {"picks": picks, "predicted_p90_ms": 5_400_000}
        attempts.append(attempt)
        claims += [
            Allocation(attempt=attempt, device=d, dimension=name, amount=amount, state="held", start_ms=since_ms)
            for d, name, amount in held
        ]
    Job.objects.bulk_create(jobs, batch_size=1000)
    Attempt.objects.bulk_create(attempts, batch_size=1000)
    Allocation.objects.bulk_create(claims, batch_size=2000)
    mine = DeviceCapacity.objects.exclude(device__node__name__startswith="node-")
    mine.update(**{f"reserved_{name}": Coalesce(f"capacity_{name}", 0) for name in DIMENSIONS})
    Job.objects.filter(state="queued").update(state="cancelled", ended_ms=now_ms)


def _amounts(device: Device) -> list[tuple[str, int]]:
    known = [(name, getattr(device.capacity, f"capacity_{name}")) for name in DIMENSIONS]
    return [(name, amount) for name, amount in known if amount]
