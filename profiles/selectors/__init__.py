"""Reads of profiles: versions of documents (versions.py) and what is known of hardware (knowledge.py)."""

from profiles.selectors.knowledge import knowledge
from profiles.selectors.versions import (
    ProfileRow,
    ProfileView,
    VersionRow,
    pinned_version,
    profiles_of,
    resolve_version,
    version_view,
    view_of,
)  # fmt: skip

__all__ = [
    "ProfileRow", "ProfileView", "VersionRow", "knowledge", "pinned_version",
    "profiles_of", "resolve_version", "version_view", "view_of",
]  # fmt: skip
