"""Where did the money go? Organisation > team > project > job > device > capability > hour.

Sums over many jobs come from the daily sums, one job or one device from the ledger itself. Both
hold the same entries. Viewers see their projects; capacity that belongs to nobody is seen by
those who answer for all of it (platform administrators and finance).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.selectors import projects_of
from alldata.tenancy.viewer import Viewer
from costing.errors import BadQuestion
from costing.models import NodeBooks
from costing.pricing.charging import CHARGED_SQL
from costing.pricing.display import shown_minor, shown_permille
from costing.selectors.labels import labels_of
from costing.selectors.prices import known_prices
from costing.selectors.questions import Amounts, Answer, By, Question, Row
from scheduling.selectors.jobs import job_row

BUCKET_SUMS = """
    COALESCE(sum(charged_nano), 0),
    COALESCE(sum(nano) FILTER (WHERE bucket = 'used'), 0),
    COALESCE(sum(nano) FILTER (WHERE bucket = 'allocated_idle'), 0),
    COALESCE(sum(nano) FILTER (WHERE bucket = 'unmetered'), 0),
    COALESCE(sum(nano) FILTER (WHERE bucket NOT IN ('used', 'allocated_idle', 'unmetered')), 0)
"""
SPEND, JOBS = "costing_spendday", "costing_jobday"
JOB_SUMS = "sum(charged_nano)::bigint, sum(used_nano)::bigint, sum(idle_nano)::bigint, sum(unmetered_nano)::bigint"
#: The ledger with what is charged, for one job or one device.
ENTRIES = f"""entries AS MATERIALIZED (
    SELECT a.*, {CHARGED_SQL} AS charged_nano FROM (
        SELECT hour_ms, device, dimension, bucket, attempt_id, job_id, project_id, price_version_id,
               sum(nano) AS nano
        FROM ledger_entry WHERE {{where}}
        GROUP BY hour_ms, device, dimension, bucket, attempt_id, job_id, project_id, price_version_id
    ) a JOIN costing_priceversion v ON v.id = a.price_version_id
),"""
ANSWER = """
WITH {entries} groups(key, charged, used, idle, unmetered, other) AS MATERIALIZED (
    SELECT {key}, {sums} FROM {source} WHERE {where} GROUP BY 1)
SELECT groups.*,
    ARRAY(SELECT price_version_id FROM {versions} WHERE {where} GROUP BY price_version_id), sums.* FROM groups,
    (SELECT count(*), COALESCE(sum(charged), 0), COALESCE(sum(used), 0), COALESCE(sum(idle), 0),
        COALESCE(sum(unmetered), 0), COALESCE(sum(other), 0) FROM groups) AS sums
ORDER BY {order} LIMIT %(limit)s
"""
#: A hundred thousand jobs are grouped in memory.
ROOM = "SET LOCAL work_mem = '48MB'"
#: Jobs are very many, but most lie within the asked days as a whole: their sums are kept. The few that reach out of
#: them are added up. What all come to is in the sums by project, for entries of a project are entries of a job.
ANSWER_OF_JOBS = """
WITH reaching AS MATERIALIZED (
    SELECT job_id FROM costing_jobspan WHERE {seen} AND last_day_ms >= %(first)s AND first_day_ms < %(end)s
        AND (first_day_ms < %(first)s OR last_day_ms >= %(end)s)),
parts AS MATERIALIZED (
    SELECT job_id, {sums} FROM costing_jobday WHERE {where} AND job_id IN (SELECT job_id FROM reaching) GROUP BY 1),
groups(key, charged, used, idle, unmetered) AS NOT MATERIALIZED (
    SELECT job_id, charged_nano, used_nano, idle_nano, unmetered_nano FROM costing_jobspan
    WHERE {seen} AND first_day_ms >= %(first)s AND last_day_ms < %(end)s
    UNION ALL SELECT * FROM parts)
SELECT groups.*, 0 AS other,
    ARRAY(SELECT price_version_id FROM costing_spendday WHERE {where} GROUP BY price_version_id),
    (SELECT count(*) FROM groups), sums.*
FROM groups, (SELECT {total_sums} FROM costing_spendday WHERE {where}) AS sums
ORDER BY {order} LIMIT %(limit)s
"""
BY_COLUMN: Mapping[By, str] = {
    By.PROJECT: "project_id",
    By.JOB: "job_id",
    By.DEVICE: "device",
    By.CAPABILITY: "dimension",
    By.BUCKET: "bucket",
    By.DAY: "day_ms",
    By.HOUR: "hour_ms",
}


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the rows come from, in SQL, with its parameters."""

    source: str
    seen: str
    where: str
    params: Mapping[str, Any]
    from_ms: int
    to_ms: int
    entries: str = ""

    @property
    def versions(self) -> str:
        """Where the price versions of these rows are found soonest."""
        return SPEND if self.source.startswith("costing_") else self.source


@dataclass(frozen=True, slots=True)
class _Key:
    sql: str
    params: Mapping[str, Any]


def breakdown(viewer: Viewer, question: Question) -> Answer:
    """The answer to one question. Errors: BadQuestion, JobNotFound."""
    plan = _plan(viewer, question)
    key = _key(viewer, question)
    sql = _sql(plan, key, question.by)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ROOM)
        cursor.execute(sql, {**plan.params, **key.params, "limit": question.limit})
        found = cursor.fetchall()
    prices = known_prices()
    versions = sorted(prices[v].name for v in found[0][6]) if found else []
    currency = next((p.currency for p in prices.values()), "")
    total = Amounts(*map(int, found[0][8:13])) if found else Amounts()
    groups = [(str(row[0]) if row[0] is not None else "", Amounts(*map(int, row[1:6]))) for row in found]
    rows, rest = _rows(groups, total, labels_of(viewer, question.by, [k for k, _ in groups]), currency)
    return Answer(
        question=question,
        from_ms=plan.from_ms,
        to_ms=plan.to_ms,
        currency=currency,
        rows=rows,
        rest=rest if found and found[0][7] > len(rows) else None,
        total=total,
        groups=found[0][7] if found else 0,
        price_versions=tuple(versions),
        provisional=is_provisional(plan.to_ms),
    )


def _sql(plan: _Plan, key: _Key, by: By) -> str:
    if plan.source == JOBS:
        order = "groups.charged DESC, groups.used + groups.idle + groups.unmetered DESC, key"
        texts = {"seen": plan.seen, "sums": JOB_SUMS, "total_sums": BUCKET_SUMS, "where": plan.where}
        return ANSWER_OF_JOBS.format(order=order, **texts)
    order = "key" if by in (By.DAY, By.HOUR) else "charged DESC, used + idle + unmetered + other DESC, key"
    texts = {"entries": plan.entries, "source": plan.source, "where": plan.where, "versions": plan.versions}
    return ANSWER.format(key=key.sql, sums=BUCKET_SUMS, order=order, **texts)


def is_provisional(to_ms: int) -> bool:
    """Is any node's hour before `to_ms` not closed yet?"""
    closed = NodeBooks.objects.values_list("closed_until_ms", flat=True)
    return any(until is None or until < to_ms // HOUR_MS * HOUR_MS for until in closed)


def _rows(
    groups: Sequence[tuple[str, Amounts]], total: Amounts, labels: Mapping[str, str], currency: str
) -> tuple[tuple[Row, ...], Row]:
    """The groups and the rest, with roundings that sum over both."""
    left = [getattr(total, name) - sum(getattr(a, name) for _, a in groups) for name in Amounts.__slots__]
    every = [*(amounts for _, amounts in groups), Amounts(*left)]
    charged = [amounts.charged_nano for amounts in every]
    shown = list(zip(every, shown_minor(charged, currency), shown_permille(charged), strict=True))
    rows = [Row(key, labels.get(key, key), *cells) for (key, _), cells in zip(groups, shown, strict=False)]
    return tuple(rows), Row("", "", *shown[-1])


def _key(viewer: Viewer, question: Question) -> _Key:
    """What to group by. Teams and the organisation are found through their projects."""
    if question.by in BY_COLUMN:
        return _Key(BY_COLUMN[question.by], {})
    above = [(p.id, str(p.team_id if question.by is By.TEAM else p.organisation_id)) for p in projects_of(viewer)]
    sql = "(SELECT up FROM unnest(%(projects)s::uuid[], %(ups)s::text[]) AS t(id, up) WHERE t.id = project_id)"
    return _Key(sql, {"projects": [str(p) for p, _ in above], "ups": [up for _, up in above]})


def _plan(viewer: Viewer, question: Question) -> _Plan:
    if question.job is not None or question.device is not None:
        return _of_entries(viewer, question)
    if question.by is By.HOUR or (question.by in (By.JOB, By.DEVICE) and (question.capability or question.bucket)):
        raise BadQuestion("by", "a job or a device to look into")
    first, end = question.days
    conditions, params = _conditions(viewer, question)
    conditions.append("day_ms >= %(first)s AND day_ms < %(end)s")
    source = SPEND
    if question.by is By.JOB:
        source = JOBS
        conditions.append("project_id IS NOT NULL")
    elif question.by is By.DEVICE:
        source = "costing_deviceday"
        conditions = [conditions[-1]]
        if not viewer.is_finance or question.project_id or question.team_id:
            raise BadQuestion("by", "a job to look into")
    params |= {"first": first, "end": end}
    return _Plan(source, conditions[0], " AND ".join(conditions), params, first, end)


def _of_entries(viewer: Viewer, question: Question) -> _Plan:
    """One job or one device: straight from the ledger, by hour."""
    if question.by is By.DAY:
        raise BadQuestion("by", "hour")
    conditions, params = _conditions(viewer, question)
    params |= {"first": question.from_ms // HOUR_MS * HOUR_MS, "end": -(-question.to_ms // HOUR_MS) * HOUR_MS}
    narrow = ["hour_ms >= %(first)s AND hour_ms < %(end)s"]
    if question.job is not None:
        narrow.append("job_id = %(job)s")
        params["job"] = str(job_row(viewer, question.job).id)
    if question.device is not None:
        narrow.append("device = %(device)s")
        params["device"] = question.device
    entries = ENTRIES.format(where=" AND ".join(narrow))
    return _Plan("entries", conditions[0], " AND ".join(conditions), params, params["first"], params["end"], entries)


def _conditions(viewer: Viewer, question: Question) -> tuple[list[str], dict[str, Any]]:
    """Filters and what the viewer may see."""
    params: dict[str, Any] = {"seen": [str(p) for p in _projects(viewer, question)]}
    seen = "project_id = ANY(%(seen)s::uuid[])"
    everything = viewer.is_finance and question.project_id is None and question.team_id is None
    conditions = [f"({seen} OR project_id IS NULL)" if everything else seen]
    for name, column in (("capability", "dimension"), ("bucket", "bucket")):
        if getattr(question, name) is not None:
            conditions.append(f"{column} = %({name})s")
            params[name] = getattr(question, name)
    return conditions, params


def _projects(viewer: Viewer, question: Question) -> list[UUID]:
    mine = projects_of(viewer)
    if question.team_id is not None:
        mine = [p for p in mine if p.team_id == question.team_id]
    return [p.id for p in mine if question.project_id in (None, p.id)]
