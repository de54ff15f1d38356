"""How fast do placements reach the database? Runs inside Django, on the database that settings name.

A synthetic cluster and a queue are written as rows; then a planner that is kept decides on slices of
the queue and each slice is committed in one transaction by the platform's own commit_batch. `per_s`
and `p99_ms` (of a slice: decisions and transaction) count both. What is paid once when a planner is
made is given beside them: reading the snapshot, recording it, building the planner.
"""

import json
import sys
import time
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from alldata.kernel.ids import uuid7
from alldata.tenancy.models import Project
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from benchmarks import clusters
from scheduling.crater import model
from scheduling.crater.planner import Planner
from scheduling.lifecycle import JobState
from scheduling.models import Device, DeviceCapacity, Job, Node
from scheduling.ports import Offer, Rate
from scheduling.services.bulk import commit_batch
from scheduling.services.recording import record_input
from scheduling.snapshot import build_snapshot

NOW = clusters.NOW_MS
WARM, SLICE = 100, 100


class Unpriced:
    """No price list."""

    def rates(self, devices: Collection[Offer]) -> Sequence[Rate]:
        return ()

    def edition(self) -> str:
        return ""

    def currency(self) -> str:
        return "CNY"


def main(nodes: int, jobs: int) -> None:
    """Fill the tables, place everything, print the figures as one JSON line."""
    project = _project()
    _write_nodes(clusters.nodes(nodes))
    _write_jobs(project, WARM)
    kept(WARM, SLICE)  # compiles or loads what is needed
    _write_jobs(project, jobs)
    sys.stdout.write(json.dumps({"nodes": nodes, **kept(jobs, SLICE)}) + "\n")


def kept(jobs: int, size: int) -> dict[str, float]:
    """A planner that is kept, and slices of the queue: plan a slice, commit it, plan the next."""
    began = time.perf_counter()
    snapshot = build_snapshot(prices=Unpriced(), now_ms=NOW)
    read = time.perf_counter()
    seen = record_input(snapshot)
    recorded = time.perf_counter()
    planner, rows = Planner(snapshot), {str(job.pk): job for job in Job.objects.filter(state=JobState.QUEUED)}
    ready, took, placed = time.perf_counter(), [], 0
    for start in range(0, jobs, size):
        now = time.perf_counter()
        answers = [planner.place(request) for request in snapshot.queue[start : start + size]]
        planned = [answer for answer in answers if answer is not None]
        placed += len(planned) * commit_batch(planned, rows, seen=seen, now_ms=NOW)
        took.append(time.perf_counter() - now)
    return {
        "per_s": round(placed / sum(took), 1),
        "placed": placed,
        "batch": size,
        "p99_ms": round(float(np.percentile(took, 99)) * 1000, 1),
        "snapshot_s": round(read - began, 3),
        "record_s": round(recorded - read, 3),
        "planner_s": round(ready - recorded, 3),
    }


def _project() -> Project:
    bootstrap_tenancy(username="admin", password="correct horse battery staple")
    return Project.objects.select_related("team")[0]


def _write_nodes(nodes: Iterable[model.Node]) -> None:
    rows, devices, capacities = [], [], []
    for node in nodes:
        row = Node(name=node.name, engine="fake", registered_ms=NOW, seen_ms=NOW, simulated=True)
        rows.append(row)
        for known in node.devices:
            attributes = dict(known.attributes)
            device = Device(uuid=known.uuid, node=row, type=known.type, name=known.type, attributes=attributes)
            device.model = str(attributes.pop("model", ""))
            devices.append(device)
            amounts = {f"capacity_{name}": amount for name, amount in known.capacity.items()}
            capacities.append(DeviceCapacity(device=device, valid_from_ms=NOW, **amounts))
    Node.objects.bulk_create(rows, batch_size=1000)
    Device.objects.bulk_create(devices, batch_size=1000)
    DeviceCapacity.objects.bulk_create(capacities, batch_size=1000)


def _write_jobs(project: Project, count: int) -> None:
    rng = np.random.default_rng(count)
    shapes = clusters.shapes(10, rng)
    weights = np.array([shape.weight for shape in shapes]) / sum(shape.weight for shape in shapes)
    first = Job.objects.count()
    rows = [_job(project, first + i, shapes[k]) for i, k in enumerate(rng.choice(len(shapes), count, p=weights))]
    Job.objects.bulk_create(rows, batch_size=1000)


def _job(project: Project, number: int, shape: model.Demand) -> Job:
    needs = [
        {
            "type": need.type,
            "count": need.count,
            "constraints": [
                {"attribute": rule.attribute, "op": rule.op, "value": list(rule.value)}  # type: ignore[arg-type]
                for rule in need.constraints
            ],
            "amounts": dict(need.amounts),
            "shares": dict(need.shares),
        }
        for need in shape.needs
    ]
    return Job(
        id=uuid7(),
        organisation_id=project.team.organisation_id,
        project=project,
        number=number,
        name="bench",
        kind="run",
        mode="run",
        request_id=str(number),
        demand={"needs": needs, "same": "node", "allow_cross_numa": True},
        entry={},
        policy="fifo",
        currency="CNY",
        grace_ms=0,
        timeout_ms=1000,
        submitted_ms=NOW,
        changed_ms=NOW,
    )
