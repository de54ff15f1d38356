"""How much was charged to some projects? By whole days from the daily sums, or by hour from the ledger."""

from collections.abc import Collection
from uuid import UUID

from django.db import connection
from django.db.models import Sum

from costing.models import JobDay, SpendDay
from costing.pricing.charging import CHARGED_SQL

BY_HOUR = f"""
SELECT hour_ms, sum({CHARGED_SQL}) FROM (
    SELECT hour_ms, bucket, price_version_id, sum(nano) AS nano FROM ledger_entry
    WHERE project_id = ANY(%s::uuid[]) AND hour_ms >= %s AND hour_ms < %s
    GROUP BY hour_ms, device, dimension, bucket, attempt_id, price_version_id
) a JOIN costing_priceversion v ON v.id = a.price_version_id GROUP BY hour_ms
"""


def charged_in_days(project_ids: Collection[UUID], first_ms: int, end_ms: int) -> int:
    """Nano charged on the UTC days [first_ms, end_ms)."""
    rows = SpendDay.objects.filter(project_id__in=project_ids, day_ms__gte=first_ms, day_ms__lt=end_ms)
    return int(rows.aggregate(nano=Sum("charged_nano"))["nano"] or 0)


def charged_by_hour(project_ids: Collection[UUID], first_ms: int, end_ms: int) -> dict[int, int]:
    """Nano charged in each UTC hour that begins in [first_ms, end_ms); hours without any are absent."""
    with connection.cursor() as cursor:
        cursor.execute(BY_HOUR, [[str(p) for p in project_ids], first_ms, end_ms])
        return {hour_ms: int(nano) for hour_ms, nano in cursor.fetchall()}


def charged_to_jobs(job_ids: Collection[UUID]) -> dict[UUID, int]:
    """Nano charged to each job by the daily sums."""
    rows = JobDay.objects.filter(job_id__in=job_ids).values_list("job_id").annotate(nano=Sum("charged_nano"))
    return {job_id: int(nano) for job_id, nano in rows}
