"""Write a new job and hand out its number, in one statement: whoever submits after it waits for both."""

import json
from collections.abc import Callable
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any

from django.db import connection

from alldata.outbox.prepared import Prepared
from alldata.tenancy.services.numbers import NUMBERED_SQL
from scheduling.models import Job

NUMBER = "number"
FIELDS = tuple(field for field in Job._meta.concrete_fields if field.name != NUMBER)
_read: Callable[[Job], tuple[Any, ...]] = attrgetter(*(field.attname for field in FIELDS))


def join_queue(job: Job) -> None:
    """Store the job and set its number; call in the transaction of the submission. Errors: IntegrityError."""
    words = [_plain(value) for value in _read(job)]
    with connection.cursor() as cursor:
        _statement().execute(cursor, [job.organisation_id, *words])
        job.number = cursor.fetchone()[0]
    job._state.adding = False


def _plain(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value)
    return value.value if isinstance(value, Enum) else value


@cache
def _statement() -> Prepared:
    columns = ", ".join(str(field.column) for field in FIELDS)
    blanks = ", ".join(f"${at}" for at in range(2, len(FIELDS) + 2))
    types = ", ".join(["uuid", *(str(field.db_type(connection)) for field in FIELDS)])
    text = f"""
WITH numbered AS ({NUMBERED_SQL})
INSERT INTO {Job._meta.db_table} ({columns}, {NUMBER}) SELECT {blanks}, numbered.number FROM numbered
RETURNING {NUMBER}"""
    return Prepared("join_queue", types, text)
