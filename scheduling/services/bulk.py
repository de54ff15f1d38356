"""Commit a batch of placements in a handful of statements, or not at all.

The same laws as committing one by one (placement.py), paid once a batch: one lock, one
conditional update of the jobs, one of the capacity rows, and one insert a table. When any
row refuses - a job moved on, room is gone, a core is held - `commit_batch` returns False with
everything undone, and the caller commits one by one to find out which.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from psycopg2.extras import Json, execute_values

from alldata.kernel.events import JobMoved
from alldata.kernel.ids import uuid7
from alldata.outbox.publish import publish_all
from profiles.dimensions import ADDITIVE
from scheduling.crater.model import Placement
from scheduling.lifecycle import AllocationState, AttemptState, JobState
from scheduling.models import Allocation, Attempt, Device, Job, Node, PlannerInput
from scheduling.services.locks import LockKey, lock_in_transaction
from scheduling.services.recording import as_text

Row = tuple[Any, ...]
PAGE = 1000
TAKE_JOBS = """
UPDATE scheduling_job SET state = %s, reason = '', changed_ms = %s, rev = rev + 1
WHERE id = ANY(%s::uuid[]) AND state = %s AND stop_requested = '' RETURNING id"""
RAISED = ", ".join(f"reserved_{d} = held.reserved_{d} + taken.{d}" for d in ADDITIVE)
ROOM = " AND ".join(f"(taken.{d} = 0 OR held.capacity_{d} >= held.reserved_{d} + taken.{d})" for d in ADDITIVE)
RESERVE = f"""
UPDATE scheduling_devicecapacity AS held SET {RAISED}
FROM (VALUES %s) AS taken (device_id, {", ".join(ADDITIVE)})
WHERE held.device_id = taken.device_id AND NOT held.overcommitted AND {ROOM}"""
ROW = "(%s::uuid" + ", %s::bigint" * len(ADDITIVE) + ")"
ATTEMPTS = """
INSERT INTO scheduling_attempt (id, job_id, project_id, ordinal, engine, node_id, state, placement,
  created_ms, changed_ms, reason, detail, endpoint, limits, progress) VALUES %s"""
ALLOCATIONS = """
INSERT INTO scheduling_allocation (id, attempt_id, device_id, dimension, amount, cpus, state, start_ms) VALUES %s"""
DECISIONS = """
INSERT INTO scheduling_decision (id, job_id, project_id, planner_input_id, at_ms, outcome, answer) VALUES %s"""


class _Refused(Exception):
    """One row of the batch refused; the transaction is undone."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What a batch needs to know: rows by name, read once."""

    placements: Sequence[Placement]
    jobs: Mapping[str, Job]
    devices: Mapping[str, UUID]
    nodes: Mapping[str, Node]
    seen: PlannerInput
    now_ms: int


def commit_batch(placements: Sequence[Placement], jobs: Mapping[str, Job], *, seen: PlannerInput, now_ms: int) -> bool:
    """True when every placement was committed; False when none was."""
    uuids = {pick.device for placement in placements for pick in placement.picks}
    names = {placement.node for placement in placements}
    batch = Batch(
        placements,
        jobs,
        dict(Device.objects.filter(uuid__in=uuids).values_list("uuid", "pk")),
        {node.name: node for node in Node.objects.filter(name__in=names).only("pk", "name", "engine")},
        seen,
        now_ms,
    )
    try:
        with transaction.atomic():
            lock_in_transaction(LockKey.PLANNER)
            _take_jobs(batch)
            _reserve(batch)
            _write(batch)
            publish_all([_fact(jobs[p.job], now_ms) for p in placements], now_ms=now_ms)
    except _Refused:
        return False
    return True


def _fact(job: Job, now_ms: int) -> JobMoved:
    return JobMoved(str(job.pk), str(job.project_id), JobState.ADMITTED.value, now_ms)


def _take_jobs(batch: Batch) -> None:
    ids = [str(batch.jobs[placement.job].pk) for placement in batch.placements]
    with connection.cursor() as cursor:
        cursor.execute(TAKE_JOBS, [JobState.ADMITTED.value, batch.now_ms, ids, JobState.QUEUED.value])
        if cursor.rowcount != len(ids):
            raise _Refused


def _reserve(batch: Batch) -> None:
    """Raise `reserved` once a device, whatever the number of jobs that share it."""
    taken: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(ADDITIVE, 0))
    cores: dict[UUID, list[int]] = defaultdict(list)
    for placement in batch.placements:
        for pick in placement.picks:
            for dimension, amount in pick.amounts.items():
                taken[pick.device][dimension] += amount
            if pick.cpus:
                cores[batch.devices[pick.device]].extend(pick.cpus)
    _check_cores(cores)
    rows = [(str(batch.devices[uuid]), *amounts.values()) for uuid, amounts in taken.items()]
    with connection.cursor() as cursor:
        execute_values(cursor.cursor, RESERVE, rows, template=ROW, page_size=len(rows))
        if cursor.rowcount != len(rows):
            raise _Refused


def _check_cores(cores: Mapping[UUID, list[int]]) -> None:
    """No core is given twice, within the batch or beside live claims."""
    if any(len(set(numbers)) != len(numbers) for numbers in cores.values()):
        raise _Refused
    claims = Allocation.objects.filter(device_id__in=cores).exclude(state=AllocationState.RELEASED).exclude(cpus=[])
    for device_id, held in claims.values_list("device_id", "cpus"):
        if set(held) & set(cores[device_id]):
            raise _Refused


def _write(batch: Batch) -> None:
    """The new rows: attempts, claims, decisions."""
    earlier = Attempt.objects.filter(job_id__in=[batch.jobs[p.job].pk for p in batch.placements])
    last: dict[UUID, int] = {}
    for job_id, ordinal in earlier.values_list("job_id", "ordinal"):
        last[job_id] = max(ordinal, last.get(job_id, 0))
    attempts: list[Row] = []
    claims: list[Row] = []
    decisions: list[Row] = []
    for placement in batch.placements:
        job, key = batch.jobs[placement.job], str(uuid7())
        answer = as_text(placement)
        attempts.append(_attempt(batch, placement, key, last.get(job.pk, 0) + 1, answer))
        claims.extend(_claims(batch, placement, key))
        decisions.append(
            (str(uuid7()), str(job.pk), str(job.project_id), str(batch.seen.pk), batch.now_ms, "placed", answer)
        )
    _insert(ATTEMPTS, attempts)
    _insert(ALLOCATIONS, claims)
    _insert(DECISIONS, decisions)


def _attempt(batch: Batch, placement: Placement, key: str, ordinal: int, answer: str) -> Row:
    job, node, empty = batch.jobs[placement.job], batch.nodes[placement.node], Json({})
    state = AttemptState.PLACING.value
    head = (key, str(job.pk), str(job.project_id), ordinal, node.engine, str(node.pk), state, answer)
    return (*head, batch.now_ms, batch.now_ms, "", "", empty, empty, empty)


def _claims(batch: Batch, placement: Placement, key: str) -> Iterable[Row]:
    state = AllocationState.RESERVED.value
    for pick in placement.picks:
        device = str(batch.devices[pick.device])
        for dimension, amount in pick.amounts.items():
            cpus = list(pick.cpus) if dimension == "cpu_millicores" else []
            yield (str(uuid7()), key, device, dimension, amount, cpus, state, batch.now_ms)


def _insert(statement: str, rows: list[Row]) -> None:
    with connection.cursor() as cursor:
        execute_values(cursor.cursor, statement, rows, page_size=PAGE)
