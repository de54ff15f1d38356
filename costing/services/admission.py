"""Set money aside for a job in one statement, where no budget is near its end.

Most jobs are admitted far from any limit. For them an upper bound of what is taken is enough: what was charged, and
what the open reservations come to at most (SetAside). Only where the bound says "perhaps too much" is everything
counted exactly (services/budgets.py). The lock is one an organisation and only where a budget is in force: it is the
statement before, so that the sums are read when it is held.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Sum

from alldata.outbox.prepared import Prepared
from alldata.tenancy.selectors import PLACES_SQL, ProjectView
from costing.models import Reservation, SetAside

LOCK = """SELECT pg_advisory_xact_lock(hashtextextended('budget:{organisation}', 0))
WHERE EXISTS (SELECT FROM costing_budget
  WHERE organisation_id = '{organisation}' AND start_ms <= {now_ms} AND end_ms > {now_ms});"""
#: $1 job, $2 nano, $3 now, $4 organisation, $5 team, $6 project, $7 currency
ADMIT = Prepared(
    "admit_job",
    "uuid, bigint, bigint, uuid, uuid, uuid, text",
    f"""
WITH place AS ({PLACES_SQL}
), above AS (
  SELECT scope, scope_id, limit_nano, start_ms, end_ms FROM costing_budget
  WHERE organisation_id = $4 AND start_ms <= $3 AND end_ms > $3
    AND scope_id = CASE scope WHEN 'organisation' THEN $4 WHEN 'team' THEN $5 WHEN 'project' THEN $6 ELSE $1 END
), covered AS (
  SELECT above.*, place.id AS project FROM above JOIN place ON place.organisation_id = $4 AND above.scope_id
    = CASE scope WHEN 'organisation' THEN place.organisation_id WHEN 'team' THEN place.team_id ELSE place.id END
), taken AS (
  SELECT scope, (SELECT COALESCE(sum(nano), 0) FROM costing_setaside WHERE project_id = project)
    + (SELECT COALESCE(sum(charged_nano), 0) FROM costing_spendday
       WHERE project_id = project AND day_ms >= start_ms AND day_ms < end_ms) AS nano
  FROM covered
), doubtful AS (
  SELECT FROM above WHERE scope = 'job' OR limit_nano
    < $2 + (SELECT COALESCE(sum(nano), 0) FROM taken WHERE taken.scope = above.scope)
)
INSERT INTO costing_reservation (job_id, project_id, currency, reserved_nano, reserved_ms)
SELECT $1, $6, $7, $2, $3 WHERE NOT EXISTS (SELECT FROM doubtful)
ON CONFLICT (job_id) DO NOTHING RETURNING job_id""",
)


@dataclass(frozen=True, slots=True)
class Ask:
    """Money to set aside for one job: what it may come to."""

    job_id: UUID
    project_id: UUID
    nano: int


def admitted(project: ProjectView, ask: Ask, *, now_ms: int) -> bool:
    """Set aside, in the open transaction. False: nothing is, for a budget may be short or something already is.

    Afterwards the lock is held in either case.
    """
    lock = LOCK.format(organisation=project.organisation_id, now_ms=now_ms)
    places = [str(key) for key in (project.organisation_id, project.team_id, project.id)]
    words: list[str | int] = [str(ask.job_id), ask.nano, now_ms, *places, project.currency]
    ADMIT.plan()
    with connection.cursor() as cursor:
        cursor.execute(f"{lock}{ADMIT.call(len(words))}", words)
        return cursor.fetchone() is not None


def set_right(project_ids: list[UUID]) -> None:
    """The bounds of these projects as near as they can be; call with the lock held.

    The rows are locked before the sum is taken: whoever adds to it has then ended or waits.
    """
    with transaction.atomic():
        known = list(SetAside.objects.select_for_update().filter(pk__in=project_ids).order_by("pk"))
        still = Reservation.objects.filter(settled_ms=None, project_id__in=project_ids)
        sums = dict(still.values_list("project_id").annotate(nano=Sum("reserved_nano")))
        for bound in known:
            bound.nano = int(sums.get(bound.pk, 0))
        SetAside.objects.bulk_update(known, ["nano"])
