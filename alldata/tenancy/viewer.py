"""Who is looking? A frozen answer that every selector takes.

Access is decided from this value alone; a selector never sees the request.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Viewer:
    """One person or token inside one organisation, for the time of one request.

    `looked_up` remembers the projects that were asked for by this viewer (selectors.project_view).
    """

    organisation_id: UUID
    user_id: int | None
    name: str
    project_ids: frozenset[UUID] = frozenset()
    roles: frozenset[str] = frozenset()
    default_project_id: UUID | None = None
    token_id: UUID | None = None
    looked_up: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_platform_admin(self) -> bool:
        return "platform_admin" in self.roles

    @property
    def is_finance(self) -> bool:
        return "finance" in self.roles or self.is_platform_admin

    def sees(self, project_id: UUID) -> bool:
        """May this viewer know that the project's things exist?"""
        return project_id in self.project_ids

    def may_submit(self, project_id: UUID) -> bool:
        """Viewers look; members, team admins and platform admins also act."""
        return self.sees(project_id) and bool(self.roles & {"member", "team_admin", "platform_admin"})
