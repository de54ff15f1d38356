"""Hand out the next J-n or P-n of an organisation."""

from uuid import UUID

from django.db import connection

from alldata.tenancy.models import Organisation

#: For statements that store what they number; $1 is the organisation.
NUMBERED_SQL = """UPDATE tenancy_organisation SET last_job_number = last_job_number + 1
  WHERE id = $1 RETURNING last_job_number AS number"""
NEXT = "UPDATE tenancy_organisation SET {counter} = {counter} + 1 WHERE id = %s RETURNING {counter}"


def next_job_number(organisation_id: UUID) -> int:
    """The next J-n; call inside the transaction that uses it (a rollback frees it)."""
    return _next(organisation_id, "last_job_number")


def next_pipeline_number(organisation_id: UUID) -> int:
    """The next P-n; call inside the transaction that uses it."""
    return _next(organisation_id, "last_pipeline_number")


def _next(organisation_id: UUID, counter: str) -> int:
    """The update locks the row, so of two callers the second waits and gets the following number."""
    with connection.cursor() as cursor:
        cursor.execute(NEXT.format(counter=counter), [organisation_id])
        row = cursor.fetchone()
    if row is None:
        raise Organisation.DoesNotExist
    return int(row[0])
