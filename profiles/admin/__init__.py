"""The console's pages of profiles (versions.py) and of what is known of hardware (knowledge.py)."""

from profiles.admin.knowledge import KnowledgeAdmin, OverrideAdmin
from profiles.admin.versions import ProfileVersionAdmin

__all__ = ["KnowledgeAdmin", "OverrideAdmin", "ProfileVersionAdmin"]
