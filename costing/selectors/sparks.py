"""How did each row of an answer grow, day by day? One number a UTC day, for the line beside the amount."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import connection

from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.selectors import projects_of
from alldata.tenancy.viewer import Viewer
from costing.selectors.questions import Answer, By, Row

SPARKS = """
SELECT {key}::text, day_ms, sum({amount}) FROM {table}
WHERE day_ms >= %s AND day_ms < %s AND (project_id = ANY(%s::uuid[]) OR (%s AND project_id IS NULL))
    AND {key} = ANY(%s::{type}[]) GROUP BY 1, 2
"""
#: Table, key with its type, and amount by level; a bucket is drawn by what it is worth, the others by what is charged.
LEVELS = {
    By.PROJECT: ("costing_spendday", "project_id", "uuid", "charged_nano"),
    By.CAPABILITY: ("costing_spendday", "dimension", "varchar", "charged_nano"),
    By.BUCKET: ("costing_spendday", "bucket", "varchar", "nano"),
    By.JOB: ("costing_jobday", "job_id", "uuid", "charged_nano"),
}


def with_sparks(viewer: Viewer, answer: Answer) -> Answer:
    """The answer with a line for each row where its level has one; others come back as they were."""
    question = answer.question
    if question.by not in LEVELS or question.job or question.device:
        return answer
    table, key, kind, amount = LEVELS[question.by]
    mine = projects_of(viewer)
    seen = [str(p.id) for p in mine if question.team_id in (None, p.team_id) and question.project_id in (None, p.id)]
    everything = viewer.is_finance and question.project_id is None and question.team_id is None
    sql = SPARKS.format(table=table, key=key, type=kind, amount=amount)
    asked: list[Any] = [answer.from_ms, answer.to_ms, seen, everything, [row.key for row in answer.rows if row.key]]
    with connection.cursor() as cursor:
        cursor.execute(sql, asked)
        found = {(name, day_ms): int(nano) for name, day_ms, nano in cursor.fetchall()}
    days = range(answer.from_ms, answer.to_ms, DAY_MS)
    return replace(answer, rows=_drawn(answer.rows, days, found))


def _drawn(rows: Sequence[Row], days: range, found: dict[tuple[str, int], int]) -> tuple[Row, ...]:
    return tuple(replace(row, spark=tuple(found.get((row.key, day), 0) for day in days)) for row in rows)
