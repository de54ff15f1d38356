"""How much may a team hold beside the others? Set by a platform admin, written down in the audit."""

from uuid import UUID

from django.db import transaction

from alldata.tenancy.audit import Deed, record
from alldata.tenancy.errors import MayNot
from alldata.tenancy.models import Team
from alldata.tenancy.viewer import Viewer


def set_weight(viewer: Viewer, team_id: UUID, weight: int, *, now_ms: int) -> None:
    """Give a team of the viewer's organisation a weight from 1 to 1000. Errors: MayNot."""
    if not viewer.is_platform_admin:
        raise MayNot("set the weight of a team")
    with transaction.atomic():
        team = Team.objects.filter(pk=team_id, organisation_id=viewer.organisation_id).exclude(weight=weight).first()
        if team is not None:
            Team.objects.filter(pk=team.pk).update(weight=weight)
            record(viewer, Deed("team.weight", team.slug, facts={"was": team.weight, "weight": weight}), now_ms=now_ms)
