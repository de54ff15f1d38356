"""Which profile versions may a new job be pinned to?"""

from dataclasses import dataclass

from alldata.tenancy.viewer import Viewer
from profiles.selectors import profiles_of, version_view


@dataclass(frozen=True, slots=True)
class Choice:
    """One published version with its modes."""

    name: str
    version: str
    modes: tuple[str, ...]

    @property
    def reference(self) -> str:
        return f"{self.name}@{self.version}"


def profile_choices(viewer: Viewer) -> list[Choice]:
    """Published versions, by name, newest first."""
    return [
        Choice(row.name, version.version, version_view(viewer, row.name, version.version).modes)
        for row in profiles_of(viewer)
        for version in row.versions
        if version.status == "published"
    ]
