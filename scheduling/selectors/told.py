"""Facts that name other jobs, as a viewer may hear them: `J-7` where he may see that job, else nothing.

Stored facts hold the job's id under `head` (whom a job may not delay) or `by` (for whom it was stopped).
"""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from alldata.tenancy.viewer import Viewer
from scheduling.models import Job

NAMING = ("head", "by")
Facts = Mapping[str, Any]
Names = Mapping[str, str]  # id -> J-n
NOBODY: Names = {}


def names_for(viewer: Viewer, facts: Iterable[Facts]) -> Names:
    """The names of the jobs in these facts that the viewer may see; one query, none when no job is named."""
    ids = {str(fact[key]) for fact in facts for key in NAMING if fact.get(key)}
    if not ids:
        return NOBODY
    rows = Job.objects.filter(
        pk__in=[UUID(one) for one in ids], project_id__in=viewer.project_ids, organisation_id=viewer.organisation_id
    )
    return {str(pk): f"J-{number}" for pk, number in rows.values_list("pk", "number")}


def told(facts: Facts, names: Names = NOBODY) -> dict[str, Any]:
    """The facts with names for ids; what the viewer may not see is left out."""
    plain = {key: value for key, value in facts.items() if key not in NAMING}
    return plain | {key: names[facts[key]] for key in NAMING if facts.get(key) in names}
