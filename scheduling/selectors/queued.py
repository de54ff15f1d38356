"""Which jobs wait, and what does each ask for, as rows? Of a long queue the part that is looked at this time.

Jobs that others made room for, high priorities and old jobs first, jobs that no machine here could ever run last, and
always those whose deadlines are nearest. Platform-internal: no viewer.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import connection

from scheduling.lifecycle import AttemptState, JobState

WAITS = f"state = '{JobState.QUEUED}' AND stop_requested = '' AND ended_ms IS NULL"
#: Parameters: how many by rank, and how many by deadline.
LOOKED_AT = f"""
WITH waiting AS MATERIALIZED (
  SELECT id, room_since_ms IS NOT NULL AS owed, COALESCE(reason_facts->'possible' = 'false', false) AS hopeless,
    priority, submitted_ms, deadline_ms FROM scheduling_job WHERE {WAITS}
), looked_at AS (
  (SELECT id FROM waiting ORDER BY owed DESC, hopeless, priority DESC, submitted_ms, id LIMIT %s)
  UNION (SELECT id FROM waiting WHERE deadline_ms IS NOT NULL ORDER BY deadline_ms, id LIMIT %s)
)
SELECT job.id::text, job.organisation_id::text, profile_digest, mode, entry_digest, submitted_ms, policy, priority,
  deadline_ms, cap_nano, project.team_id::text, timeout_ms, grace_ms, room_since_ms IS NOT NULL, demand::text, rev > 0
FROM looked_at JOIN scheduling_job AS job USING (id) JOIN tenancy_project AS project ON project.id = job.project_id
ORDER BY submitted_ms, id"""
LOST = f"""
SELECT job_id::text, node.name FROM scheduling_attempt AS attempt JOIN scheduling_node AS node ON node.id = node_id
WHERE job_id = ANY(%s::uuid[]) AND attempt.state = '{AttemptState.LOST}' ORDER BY attempt.id"""


class Queued(NamedTuple):
    """One job that waits; `demand` is its stored text."""

    job: str
    organisation: str
    profile_digest: str
    mode: str
    entry_digest: str
    submitted_ms: int
    policy: str
    priority: int
    deadline_ms: int | None
    cap_nano: int | None
    team: str
    timeout_ms: int
    grace_ms: int
    owed: bool
    demand: str


def looked_at(window: int, urgent: int) -> tuple[list[Queued], Mapping[str, tuple[str, ...]]]:
    """The jobs, oldest first, and the nodes on which earlier attempts of theirs were lost."""
    with connection.cursor() as cursor:
        cursor.execute(LOOKED_AT, [window, urgent])
        rows = cursor.fetchall()
    return [Queued._make(row[:-1]) for row in rows], _lost_on([row[0] for row in rows if row[-1]])


def _lost_on(moved: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Of jobs that were moved before: one that was never moved has no attempt."""
    found: dict[str, tuple[str, ...]] = defaultdict(tuple)
    if moved:
        with connection.cursor() as cursor:
            cursor.execute(LOST, [list(moved)])
            for job, node in cursor.fetchall():
                found[job] += (node,)
    return found
