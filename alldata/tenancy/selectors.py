"""Who is this, and what do they belong to?"""

import hashlib
from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser, User
from django.db import connection

from alldata.tenancy.errors import BadCredential, NoMembership, ProjectNotFound
from alldata.tenancy.models import Organisation, Project, Role, Team
from alldata.tenancy.viewer import Viewer

#: Which project is below which team and organisation, for statements of other apps.
PLACES_SQL = """
SELECT project.id, project.team_id, team.organisation_id
FROM tenancy_project AS project JOIN tenancy_team AS team ON team.id = project.team_id"""


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project with the names above it, and what its organisation counts in."""

    id: UUID
    slug: str
    name: str
    team_id: UUID
    team: str
    organisation_id: UUID
    organisation: str
    currency: str
    timezone: str


#: A person's roles and projects in the first organisation joined. Organisation-wide roles reach every project, team
#: roles the team's.
PERSON = """
WITH all_of AS (SELECT id, organisation_id, team_id, role FROM tenancy_membership WHERE user_id = %s
), own AS (SELECT organisation_id FROM all_of ORDER BY id LIMIT 1
), mine AS (SELECT team_id, role FROM all_of WHERE organisation_id = (SELECT organisation_id FROM own))
SELECT own.organisation_id, ARRAY(SELECT DISTINCT role FROM mine), ARRAY(
  SELECT project.id FROM tenancy_project AS project JOIN tenancy_team AS team ON team.id = project.team_id
  WHERE team.organisation_id = own.organisation_id
    AND (team.id IN (SELECT team_id FROM mine) OR EXISTS (SELECT FROM mine WHERE team_id IS NULL))
  ORDER BY project.id)
FROM own"""


def viewer_of_user(user: AbstractBaseUser | User) -> Viewer:
    """The viewer behind a signed-in person. Errors: NoMembership."""
    with connection.cursor() as cursor:
        cursor.execute(PERSON, [user.pk])
        row = cursor.fetchone()
    if row is None:
        raise NoMembership
    organisation_id, roles, project_ids = row
    return Viewer(
        organisation_id=organisation_id,
        user_id=user.pk,
        name=user.get_username(),
        project_ids=frozenset(project_ids),
        roles=frozenset(roles),
        default_project_id=project_ids[0] if project_ids else None,
    )


#: A token with all that it lets its holder do, in one statement: it is asked with every request of a program.
TOKEN = """
SELECT token.id, token.prefix, token.expires_ms, token.user_id, person.username,
  project.id, project.slug, project.name, team.id, team.name, own.id, own.name, own.currency, own.timezone,
  ARRAY(SELECT DISTINCT mine.role FROM tenancy_membership AS mine
    WHERE mine.user_id = token.user_id AND mine.organisation_id = team.organisation_id),
  EXISTS(SELECT FROM tenancy_membership AS mine WHERE mine.user_id = token.user_id
    AND mine.organisation_id = team.organisation_id AND (mine.team_id IS NULL OR mine.team_id = team.id))
FROM tenancy_apitoken AS token JOIN auth_user AS person ON person.id = token.user_id
  JOIN tenancy_project AS project ON project.id = token.project_id
  JOIN tenancy_team AS team ON team.id = project.team_id
  JOIN tenancy_organisation AS own ON own.id = team.organisation_id
WHERE token.digest = %s AND token.revoked_ms IS NULL AND person.is_active"""


def viewer_of_token(secret: str, *, now_ms: int) -> Viewer:
    """The viewer behind an API token: confined to the token's project. Errors: BadCredential."""
    with connection.cursor() as cursor:
        cursor.execute(TOKEN, [token_digest(secret)])
        row = cursor.fetchone()
    if row is None:
        raise BadCredential
    key, prefix, expires_ms, user_id, username, *words, roles, reaches = row
    project = ProjectView(*words)
    if not reaches or (expires_ms or now_ms + 1) <= now_ms:
        raise BadCredential
    return Viewer(
        organisation_id=project.organisation_id,
        user_id=user_id,
        name=f"{username} (token {prefix})",
        project_ids=frozenset([project.id]),
        roles=frozenset(roles),
        default_project_id=project.id,
        token_id=key,
        looked_up=dict.fromkeys((None, project.id, project.slug), project),
    )


def system_viewer(project_id: UUID) -> Viewer:
    """The platform acting for a project (pipelines, retries); audit shows it as "system"."""
    organisation_id = Organisation.objects.get(teams__projects=project_id).id
    return Viewer(
        organisation_id=organisation_id,
        user_id=None,
        name="system",
        project_ids=frozenset([project_id]),
        roles=frozenset([Role.MEMBER.value]),
        default_project_id=project_id,
    )


def token_digest(secret: str) -> str:
    """What is stored instead of the token: 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def projects_of(viewer: Viewer) -> list[ProjectView]:
    """The projects the viewer may charge to, by name."""
    rows = Project.objects.filter(id__in=viewer.project_ids).select_related("team__organisation")
    return [_project_view(row) for row in rows.order_by("name")]


def projects_below(organisation_id: UUID) -> list[ProjectView]:
    """Every project of an organisation, whoever may see it. Platform-internal: budgets count all of them."""
    rows = Project.objects.filter(team__organisation_id=organisation_id).select_related("team__organisation")
    return [_project_view(row) for row in rows.order_by("name")]


def team_weights() -> dict[str, int]:
    """Team -> weight, for teams whose weight is not 1. Platform-internal: the scheduler shares out by it."""
    rows = Team.objects.exclude(weight=1).order_by("id")
    return {str(team_id): weight for team_id, weight in rows.values_list("id", "weight")}


def project_view(viewer: Viewer, project: UUID | str | None = None) -> ProjectView:
    """One project by id or slug; None means the viewer's default. Read once a viewer. Errors: ProjectNotFound."""
    if project not in viewer.looked_up:
        viewer.looked_up[project] = _one_project(viewer, project)
    found: ProjectView = viewer.looked_up[project]
    viewer.looked_up[found.id] = found
    return found


#: The columns of a ProjectView, in its order.
PROJECT = """
SELECT project.id, project.slug, project.name, team.id, team.name, own.id, own.name, own.currency, own.timezone
FROM tenancy_project AS project JOIN tenancy_team AS team ON team.id = project.team_id
  JOIN tenancy_organisation AS own ON own.id = team.organisation_id
WHERE project.id = ANY(%s::uuid[]) AND {key} = %s ORDER BY project.id LIMIT 1"""


def _one_project(viewer: Viewer, project: UUID | str | None) -> ProjectView:
    wanted = viewer.default_project_id if project is None else project
    key = "project.id" if isinstance(wanted, UUID) else "project.slug"
    with connection.cursor() as cursor:
        cursor.execute(PROJECT.format(key=key), [list(viewer.project_ids), wanted])
        row = cursor.fetchone()
    if row is None:
        raise ProjectNotFound(str(wanted))
    return ProjectView(*row)


def _project_view(row: Project) -> ProjectView:
    organisation = row.team.organisation
    return ProjectView(
        id=row.id,
        slug=row.slug,
        name=row.name,
        team_id=row.team_id,
        team=row.team.name,
        organisation_id=organisation.id,
        organisation=organisation.name,
        currency=organisation.currency,
        timezone=organisation.timezone,
    )
