"""Sum the ledger by day, for views over many jobs. Recomputed from entries, never added to.

A booking marks its day; the mark is worked off within one transaction that replaces the day's
sums. So a sum is a function of the ledger, whatever was booked how often in which order. What is
charged is decided here for each account of each hour, and every view adds these amounts.
"""

from django.db import connection, transaction

from alldata.kernel.intervals import DAY_MS
from costing.pricing.charging import CHARGED_SQL

LOCK = 0x646179_73756D73  # "daysums"
#: A day is summed again at most this often while it is being booked.
PACE_MS = 10_000
MARK = "INSERT INTO costing_dirtyday (day_ms, due_ms) VALUES (%s, %s) ON CONFLICT DO NOTHING"
TAKE = """
DELETE FROM costing_dirtyday WHERE day_ms = (
    SELECT day_ms FROM costing_dirtyday WHERE due_ms <= %s ORDER BY due_ms LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING day_ms
"""
ACCOUNTS = f"""
CREATE TEMPORARY TABLE day_accounts ON COMMIT DROP AS
SELECT a.*, COALESCE(c.device_type, '') AS device_type, {CHARGED_SQL} AS charged
FROM (
    SELECT hour_ms, node, device, dimension, bucket, attempt_id, job_id, project_id, price_version_id,
           sum(q) AS q, sum(nano) AS nano
    FROM ledger_entry WHERE hour_ms >= %s AND hour_ms < %s
    GROUP BY hour_ms, node, device, dimension, bucket, attempt_id, job_id, project_id, price_version_id
) a
JOIN costing_priceversion v ON v.id = a.price_version_id
LEFT JOIN (SELECT DISTINCT device, device_type FROM costing_capacityversion) c ON c.device = a.device
"""
#: The jobs whose whole may differ: those that the day had and those that it has.
TOUCHED = """
CREATE TEMPORARY TABLE day_jobs ON COMMIT DROP AS
SELECT job_id FROM costing_jobday WHERE day_ms = %(day)s UNION SELECT job_id FROM day_accounts WHERE job_id IS NOT NULL
"""
REPLACE = (
    "DELETE FROM costing_spendday WHERE day_ms = %(day)s",
    "DELETE FROM costing_jobday WHERE day_ms = %(day)s",
    "DELETE FROM costing_deviceday WHERE day_ms = %(day)s",
    "DELETE FROM costing_spendhour WHERE hour_ms >= %(day)s AND hour_ms < %(end)s",
    """
    INSERT INTO costing_spendday
        (day_ms, project_id, device_type, dimension, bucket, price_version_id, q, nano, charged_nano)
    SELECT %(day)s, project_id, device_type, dimension, bucket, price_version_id, sum(q), sum(nano), sum(charged)
    FROM day_accounts GROUP BY project_id, device_type, dimension, bucket, price_version_id
    """,
    """
    INSERT INTO costing_jobday
        (day_ms, project_id, job_id, price_version_id, charged_nano, used_nano, idle_nano, unmetered_nano)
    SELECT %(day)s, project_id, job_id, price_version_id, sum(charged),
        COALESCE(sum(nano) FILTER (WHERE bucket = 'used'), 0),
        COALESCE(sum(nano) FILTER (WHERE bucket = 'allocated_idle'), 0),
        COALESCE(sum(nano) FILTER (WHERE bucket = 'unmetered'), 0)
    FROM day_accounts WHERE job_id IS NOT NULL GROUP BY project_id, job_id, price_version_id
    """,
    """
    INSERT INTO costing_deviceday (day_ms, node, device, bucket, price_version_id, nano, charged_nano)
    SELECT %(day)s, node, device, bucket, price_version_id, sum(nano), sum(charged)
    FROM day_accounts GROUP BY node, device, bucket, price_version_id
    """,
    """
    INSERT INTO costing_spendhour (hour_ms, project_id, charged_nano)
    SELECT hour_ms, project_id, sum(charged) FROM day_accounts WHERE project_id IS NOT NULL GROUP BY hour_ms, project_id
    """,
)
#: Under one lock, so that two days of one job, summed at once, see each other.
JOIN_DAYS = (
    "DELETE FROM costing_jobspan s USING day_jobs t WHERE s.job_id = t.job_id",
    """
    INSERT INTO costing_jobspan (job_id, project_id, first_day_ms, last_day_ms, charged_nano, used_nano, idle_nano,
        unmetered_nano)
    SELECT d.job_id, d.project_id, min(d.day_ms), max(d.day_ms), sum(d.charged_nano), sum(d.used_nano),
        sum(d.idle_nano), sum(d.unmetered_nano)
    FROM costing_jobday d JOIN day_jobs t ON t.job_id = d.job_id GROUP BY d.job_id, d.project_id
    """,
)


def mark_day(hour_ms: int, *, now_ms: int) -> None:
    """Note that the day of the hour has other entries than before."""
    with connection.cursor() as cursor:
        cursor.execute(MARK, [hour_ms // DAY_MS * DAY_MS, now_ms + PACE_MS])


def sum_due_days(*, now_ms: int, limit: int = 40) -> int:
    """Work off the marks that are due; returns how many days were summed."""
    done = 0
    while done < limit and _sum_next(now_ms=now_ms):
        done += 1
    return done


def _sum_next(*, now_ms: int) -> bool:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(TAKE, [now_ms])
        taken = cursor.fetchone()
        if taken is not None:
            _replace(taken[0])
    return taken is not None


def sum_day(day_ms: int) -> None:
    """Replace the sums of one day by those of the ledger as it is now."""
    with transaction.atomic():
        _replace(day_ms)


def _replace(day_ms: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCK % 2**31, day_ms // DAY_MS])
        cursor.execute("DROP TABLE IF EXISTS day_accounts, day_jobs")
        cursor.execute(ACCOUNTS, [day_ms, day_ms + DAY_MS])
        for statement in (TOUCHED, *REPLACE):
            cursor.execute(statement, {"day": day_ms, "end": day_ms + DAY_MS})
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        for statement in JOIN_DAYS:
            cursor.execute(statement)
