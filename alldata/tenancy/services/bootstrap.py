"""Make the first organisation, team, project and administrator. Safe to repeat."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from alldata.tenancy.models import Membership, Organisation, Project, Role, Team


@dataclass(frozen=True, slots=True)
class Home:
    """What `bootstrap_tenancy` made or found."""

    organisation_id: UUID
    project_id: UUID
    user_id: int


def bootstrap_tenancy(*, username: str, password: str) -> Home:
    """Create what is missing; an existing administrator keeps the password they have."""
    with transaction.atomic():
        organisation, _ = Organisation.objects.get_or_create(slug="default", defaults={"name": "Acme AI"})
        team, _ = Team.objects.get_or_create(organisation=organisation, slug="default", defaults={"name": "Vision"})
        project, _ = Project.objects.get_or_create(team=team, slug="default", defaults={"name": "ocr"})
        user, created = User.objects.get_or_create(username=username, defaults={"is_staff": True, "is_superuser": True})
        if created:
            user.set_password(password)
            user.save(update_fields=["password"])
        for role in (Role.PLATFORM_ADMIN, Role.MEMBER):
            Membership.objects.get_or_create(user=user, organisation=organisation, team=None, role=role)
    return Home(organisation.id, project.id, user.pk)
