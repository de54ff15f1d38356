"""What is booked on jobs, added up by the database: hours first, where what is charged is decided, then all."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from costing.pricing.charging import CHARGED_SQL

HOURS = f"""
    SELECT a.*, {CHARGED_SQL} AS charged FROM (
        SELECT job_id, dimension, bucket, device, price_version_id, sum(q) AS q, sum(nano) AS nano,
            COALESCE(sum(nano) FILTER (WHERE correction), 0) AS late
        FROM ledger_entry WHERE job_id = ANY(%s::uuid[])
        GROUP BY job_id, hour_ms, dimension, bucket, device, attempt_id, price_version_id
    ) a JOIN costing_priceversion v ON v.id = a.price_version_id
"""
OF_JOB = f"""
SELECT dimension, bucket, device, price_version_id, sum(q), sum(nano), sum(charged), sum(late) FROM ({HOURS}) hours
GROUP BY dimension, bucket, device, price_version_id ORDER BY dimension, bucket, device, price_version_id
"""
OF_JOBS = f"SELECT job_id, price_version_id, sum(charged) FROM ({HOURS}) hours GROUP BY job_id, price_version_id"


@dataclass(frozen=True, slots=True)
class JobAccount:
    """One capability of one device in one bucket, over a job. `late` of its `nano` was booked after the close."""

    dimension: str
    bucket: str
    device: str
    version_id: UUID
    q: int
    nano: int
    charged: int
    late: int


def accounts_of_job(job_id: UUID) -> list[JobAccount]:
    """Everything booked on one job."""
    with connection.cursor() as cursor:
        cursor.execute(OF_JOB, [[str(job_id)]])
        return [JobAccount(*row[:4], *map(int, row[4:])) for row in cursor.fetchall()]


def charged_by_version(job_ids: Collection[UUID]) -> list[tuple[UUID, UUID, int]]:
    """(job, price version, nano charged) for each that has entries."""
    with connection.cursor() as cursor:
        cursor.execute(OF_JOBS, [[str(job_id) for job_id in job_ids]])
        return [(job_id, version_id, int(nano)) for job_id, version_id, nano in cursor.fetchall()]
