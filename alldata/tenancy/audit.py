"""Write down who did what, in the transaction that did it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection

from alldata.kernel.ids import uuid7
from alldata.tenancy.viewer import Viewer


@dataclass(frozen=True, slots=True)
class Deed:
    """What was done to what. `action` is a stable verb such as "job.submit"; never holds secrets."""

    action: str
    target: str
    project_id: UUID | None = None
    facts: Mapping[str, object] = field(default_factory=dict)


RECORD = """
INSERT INTO tenancy_auditentry (id, organisation_id, project_id, at_ms, actor, action, target, facts)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"""


def record(viewer: Viewer, deed: Deed, *, now_ms: int) -> None:
    """Append one entry for what the viewer did."""
    who = [uuid7(), viewer.organisation_id, deed.project_id, now_ms, viewer.name]
    with connection.cursor() as cursor:
        cursor.execute(RECORD, [*who, deed.action, deed.target, json.dumps(dict(deed.facts))])
