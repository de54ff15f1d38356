"""Which part of the organisation does /cost/<org>/<team>/<project>/ mean, and what may the reader see of it?"""

from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.text import slugify

from alldata.tenancy.errors import ProjectNotFound
from alldata.tenancy.selectors import ProjectView, projects_of
from alldata.tenancy.viewer import Viewer


def step(name: str, key: UUID) -> str:
    """A name as a step of a path; an id where nothing of the name can stand there."""
    return slugify(name, allow_unicode=True) or str(key)


@dataclass(frozen=True, slots=True)
class Place:
    """One level; `steps` are its path, `projects` what the reader sees below it."""

    steps: tuple[str, ...]
    names: tuple[str, ...]
    team_id: UUID | None
    project_id: UUID | None
    projects: tuple[ProjectView, ...]

    @property
    def level(self) -> str:
        return ("organisation", "team", "project")[len(self.steps) - 1]

    @property
    def url(self) -> str:
        return url_of(self.steps)

    @property
    def above(self) -> list[tuple[str, str]]:
        """(name, address) of this level and those above, widest first."""
        return [(name, url_of(self.steps[: index + 1])) for index, name in enumerate(self.names)]

    def below(self, key: str) -> str:
        """The address one level down, "" where there is none."""
        if self.level == "organisation":
            found = next((p for p in self.projects if str(p.team_id) == key), None)
            return url_of((*self.steps, step(found.team, found.team_id))) if found else ""
        found = next((p for p in self.projects if str(p.id) == key), None)
        return url_of((*self.steps, found.slug)) if found and self.level == "team" else ""


def url_of(steps: tuple[str, ...]) -> str:
    """The address of a level."""
    return reverse("cost-level", args=["/".join(steps)])


def place_of(viewer: Viewer, path: str) -> Place:
    """The level a path names. Errors: ProjectNotFound, also for what the reader may not see."""
    steps = tuple(part for part in path.split("/") if part)
    projects = projects_of(viewer)
    if not projects or not 1 <= len(steps) <= 3:
        raise ProjectNotFound(path)
    found = [p for p in projects if steps[0] in (step(p.organisation, p.organisation_id), str(p.organisation_id))]
    if len(steps) > 1:
        found = [p for p in found if steps[1] in (step(p.team, p.team_id), str(p.team_id))]
    if len(steps) > 2:
        found = [p for p in found if steps[2] in (p.slug, step(p.name, p.id), str(p.id))]
    if not found:
        raise ProjectNotFound(path)
    first = found[0]
    names = (first.organisation, first.team, first.name)[: len(steps)]
    team, project = (first.team_id if len(steps) == 2 else None), (first.id if len(steps) == 3 else None)
    return Place(steps, names, team, project, tuple(found))


def path_of(project: ProjectView) -> list[tuple[str, str]]:
    """(name, address) of a project and what is above it."""
    steps = (step(project.organisation, project.organisation_id), step(project.team, project.team_id), project.slug)
    names = (project.organisation, project.team, project.name)
    return [(name, url_of(steps[: index + 1])) for index, name in enumerate(names)]


def home_of(project: ProjectView) -> str:
    """The address of the reader's whole organisation."""
    return path_of(project)[0][1]


def query(state: dict[str, str], **changes: str) -> str:
    """The state with some of it changed, as a query string."""
    return "?" + urlencode({key: value for key, value in {**state, **changes}.items() if value})
