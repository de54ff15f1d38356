"""Writes of profiles: versions of documents (versions.py) and additions to the knowledge base (knowledge.py)."""

from profiles.services.versions import deprecate_version, draft_profile, ensure_published, publish_version

__all__ = ["deprecate_version", "draft_profile", "ensure_published", "publish_version"]
