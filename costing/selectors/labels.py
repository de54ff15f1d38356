"""What do people call the keys of an answer?"""

from collections.abc import Sequence
from uuid import UUID

from alldata.tenancy.selectors import projects_of
from alldata.tenancy.viewer import Viewer
from costing.selectors.questions import By
from scheduling.selectors.metering import references_of


def labels_of(viewer: Viewer, by: By, keys: Sequence[str]) -> dict[str, str]:
    """Key -> name; keys that are their own name are absent."""
    if by is By.JOB:
        found = references_of([UUID(key) for key in keys if key])
        return {str(job_id): name for job_id, name in found.items()}
    if by in (By.ORGANISATION, By.TEAM, By.PROJECT):
        projects = projects_of(viewer)
        names = {
            By.ORGANISATION: {str(p.organisation_id): p.organisation for p in projects},
            By.TEAM: {str(p.team_id): p.team for p in projects},
            By.PROJECT: {str(p.id): p.name for p in projects},
        }
        return names[by]
    return {}
