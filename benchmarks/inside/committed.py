"""Place and commit on the database that settings name; `python -m benchmarks.inside.committed NODES JOBS`.

A synthetic cluster and a queue are written as rows. Three things are measured, each on an empty cluster:

* `per_s`: a planner that is kept decides on one job after the other, and the platform's own commit_all commits each
  hundred in one transaction while the next are decided on: decisions, reasons, claims, facts and wake-ups. `tx_p99_ms`
  is a transaction alone, from its sending to its end; `cpu_us` the processor time of a placement in Python and in
  PostgreSQL.
* `singly`: one placement a transaction, decided on when the one before it is through, wake-ups gathered as in a round.
* `rounds`: the service's place_waiting as its worker runs it: queue and machines read, prices asked, planner built,
  input recorded, everything committed. `first` knows nothing of the cluster, `second` has the process's memory of the
  first; both place the whole queue. `small` places 20 jobs; `idle` finds an empty queue.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np
import psycopg2.extensions
from django.db import connection

from alldata.kernel.ids import uuid7
from alldata.outbox.wake import once_each
from alldata.tenancy.models import Project
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from benchmarks import clusters
from costing.services.books import ensure_price_book
from costing.services.quotes import BookQuotes
from scheduling.crater import model
from scheduling.crater.planner import Planner
from scheduling.models import Device, DeviceCapacity, Job, Node
from scheduling.services.bulk import BATCH, commit_all, commit_batch
from scheduling.services.placement import place_waiting
from scheduling.services.recording import record_input
from scheduling.snapshot import build_snapshot

NOW = clusters.NOW_MS
WARM, SINGLY, SMALL = 400, 500, 20
QUOTES = BookQuotes(lambda: NOW)
EMPTY = """
TRUNCATE scheduling_job, scheduling_attempt, scheduling_allocation, scheduling_decision, outbox_outboxevent,
  outbox_delivery CASCADE;
UPDATE scheduling_devicecapacity SET reserved_cpu_millicores = 0, reserved_memory_bytes = 0, reserved_gpu_sm = 0,
  reserved_gpu_memory_bytes = 0;
"""


def main(nodes: int, jobs: int) -> None:
    """Fill the tables, place everything, print the figures as one JSON line."""
    project = _project()
    ensure_price_book(now_ms=NOW)
    _write_nodes(clusters.nodes(nodes))
    kept(project, WARM, BATCH)  # compiles or loads what is needed
    kept(project, WARM, 1)
    answer: dict[str, Any] = {"nodes": nodes, **kept(project, jobs, BATCH)}
    with once_each():
        answer["singly"] = kept(project, SINGLY, 1)
    sys.stdout.write(json.dumps(answer | {"rounds": rounds(project, jobs)}) + "\n")


def kept(project: Project, jobs: int, size: int) -> dict[str, Any]:
    """A planner that is kept, and a queue that is committed `size` at a time."""
    _empty()
    _write_jobs(project, jobs)
    _analyze()
    snapshot = build_snapshot(prices=QUOTES, now_ms=NOW)
    planner, seen = Planner(snapshot), record_input(snapshot)
    with Stopwatch() as transactions:
        cpu, began = Processor(), time.perf_counter()
        answers = (answer for request in snapshot.queue if (answer := planner.place(request)) is not None)
        if size > 1:
            placed = commit_all(answers, seen=seen, now_ms=NOW, size=size)
        else:
            placed = sum(commit_batch([answer], seen=seen, now_ms=NOW) for answer in answers)
        took = time.perf_counter() - began
    return {
        "per_s": round(placed / took, 1),
        "placed": placed,
        "batch": size,
        "p50_ms": transactions.percentile(50),
        "tx_p99_ms": transactions.percentile(99),
        "cpu_us": {name: round(spent / placed * 1e6) for name, spent in cpu.spent().items()},
    }


class Stopwatch:
    """How long each statement takes that this session's driver sends, while the block lasts."""

    def __init__(self) -> None:
        self.took_ms: list[float] = []

    def __enter__(self) -> Self:
        took_ms = self.took_ms

        class Timed(psycopg2.extensions.cursor):
            def execute(self, *words: Any) -> None:
                began = time.perf_counter()
                super().execute(*words)
                took_ms.append((time.perf_counter() - began) * 1000)

        connection.connection.cursor_factory = Timed
        return self

    def __exit__(self, *_: object) -> None:
        connection.connection.cursor_factory = psycopg2.extensions.cursor

    def percentile(self, share: float) -> float:
        """Of the statements so far, in ms."""
        return round(float(np.percentile(self.took_ms, share)), 2)


def rounds(project: Project, jobs: int) -> dict[str, Any]:
    """Whole rounds of the service."""
    _empty()
    found = {}
    for name, queued in (("first", jobs), ("second", jobs), ("small", SMALL), ("idle", 0)):
        _write_jobs(project, queued)
        found[name] = _timed(lambda: place_waiting(prices=QUOTES, now_ms=NOW).placed)
    return found


def _timed(work: Callable[[], int]) -> dict[str, float]:
    cpu, began = Processor(), time.perf_counter()
    placed = work()
    took = time.perf_counter() - began
    spent = {f"{name}_s": round(seconds, 3) for name, seconds in cpu.spent().items()}
    return {"placed": placed, "s": round(took, 3), "per_s": round(placed / took, 1), **spent}


class Processor:
    """Processor time of this process and of its PostgreSQL backend since it was made (Linux)."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            self._stat = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")
        self._python, self._postgres = time.process_time(), self._backend()

    def spent(self) -> dict[str, float]:
        """Seconds so far."""
        return {"python": time.process_time() - self._python, "postgres": self._backend() - self._postgres}

    def _backend(self) -> float:
        return int(self._stat.read_text().split()[0]) / 1e9


def _analyze() -> None:
    """What autovacuum would have done by now; never of empty tables, which are then taken to stay empty."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scheduling_job, scheduling_node, scheduling_device, scheduling_devicecapacity")


def _empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute(EMPTY)


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
            device.cpus = list(range(known.capacity.get("cpu_millicores", 0) // 1000))
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


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
