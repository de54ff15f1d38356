"""Write down who did what, in the transaction that did it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from alldata.tenancy.models import AuditEntry
from alldata.tenancy.viewer import Viewer


@dataclass(frozen=True, slots=True)
class Deed:
    """What was done to what. `action` is a stable verb such as "job.submit"; never holds secrets."""

    action: str
    target: str
    project_id: UUID | None = None
    facts: Mapping[str, object] = field(default_factory=dict)


def record(viewer: Viewer, deed: Deed, *, now_ms: int) -> None:
    """Append one entry for what the viewer did."""
    AuditEntry.objects.create(
        organisation_id=viewer.organisation_id,
        project_id=deed.project_id,
        at_ms=now_ms,
        actor=viewer.name,
        action=deed.action,
        target=deed.target,
        facts=dict(deed.facts),
    )
