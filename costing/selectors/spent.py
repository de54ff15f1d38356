"""How much was charged to some projects? By whole days, or by hour, from the sums that follow the ledger."""

from collections.abc import Collection
from uuid import UUID

from django.db import connection
from django.db.models import Sum

from costing.models import JobDay, SpendDay, SpendHour

#: One text for all ids: tens of thousands of parameters take longer to read than to answer.
WHOLE = """
SELECT count(*), COALESCE(sum(charged_nano), 0) FROM costing_jobspan WHERE job_id = ANY(%s::uuid[])
"""


def charged_in_days(project_ids: Collection[UUID], first_ms: int, end_ms: int) -> dict[UUID, int]:
    """Nano charged to each project on the UTC days [first_ms, end_ms); projects without any are absent."""
    rows = SpendDay.objects.filter(project_id__in=project_ids, day_ms__gte=first_ms, day_ms__lt=end_ms)
    return {p: int(nano) for p, nano in rows.values_list("project_id").annotate(nano=Sum("charged_nano")) if p}


def charged_by_hour(project_ids: Collection[UUID], first_ms: int, end_ms: int) -> dict[UUID, dict[int, int]]:
    """Nano charged to each project in each UTC hour that begins in [first_ms, end_ms); hours without any are absent."""
    rows = SpendHour.objects.filter(project_id__in=project_ids, hour_ms__gte=first_ms, hour_ms__lt=end_ms)
    found: dict[UUID, dict[int, int]] = {}
    for project_id, hour_ms, nano in rows.values_list("project_id", "hour_ms", "charged_nano"):
        found.setdefault(project_id, {})[hour_ms] = nano
    return found


def charged_to_jobs(job_ids: Collection[UUID]) -> dict[UUID, int]:
    """Nano charged to each job by the daily sums."""
    rows = JobDay.objects.filter(job_id__in=job_ids).values_list("job_id").annotate(nano=Sum("charged_nano"))
    return {job_id: int(nano) for job_id, nano in rows}


def whole_jobs(job_ids: Collection[str]) -> tuple[int, int]:
    """Of very many jobs: how many have entries, and nano charged to all of them."""
    with connection.cursor() as cursor:
        cursor.execute(WHOLE, [f"{{{','.join(job_ids)}}}"])
        jobs, nano = cursor.fetchone()
    return jobs, int(nano)
