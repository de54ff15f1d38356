"""Write down who did what, in the transaction that did it."""

from collections.abc import Mapping
from uuid import UUID

from alldata.tenancy.models import AuditEntry
from alldata.tenancy.viewer import Viewer


def record(
    viewer: Viewer,
    action: str,
    target: str,
    *,
    now_ms: int,
    project_id: UUID | None = None,
    facts: Mapping[str, object] | None = None,
) -> None:
    """Append one entry. `action` is a stable verb such as "job.submit"; never pass secrets."""
    AuditEntry.objects.create(
        organisation_id=viewer.organisation_id,
        project_id=project_id,
        at_ms=now_ms,
        actor=viewer.name,
        action=action,
        target=target,
        facts=dict(facts or {}),
    )
