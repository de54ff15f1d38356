"""Draft, publish and deprecate profile versions; every step is audited in its transaction."""

from django.db import transaction
from django.db.models import QuerySet

from alldata.kernel.events import ProfilePublished
from alldata.outbox.publish import publish
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.errors import MayNot
from alldata.tenancy.viewer import Viewer
from profiles.errors import NotPublishable, VersionExists
from profiles.hkb.advice import HardwareAdvisor
from profiles.models import Profile, ProfileVersion, Status
from profiles.rcdl.document import Document
from profiles.rcdl.parse import load
from profiles.selectors.knowledge import knowledge
from profiles.selectors.versions import ProfileView, version_view

EDITORS = frozenset({"member", "team_admin", "platform_admin"})
PUBLISHERS = frozenset({"team_admin", "platform_admin"})


def draft_profile(viewer: Viewer, text: str | bytes, *, now_ms: int) -> ProfileView:
    """Store a document as a draft; a draft of that version is replaced, a published one is not.

    Sending the text of a published version again answers with that version.
    Errors: InvalidDocument, VersionExists, MayNot.
    """
    must_be(viewer, EDITORS, "edit profiles")
    document = load(text, HardwareAdvisor(knowledge()))
    with transaction.atomic():
        profile, _ = Profile.objects.get_or_create(
            organisation_id=viewer.organisation_id, name=document.name, defaults={"created_ms": now_ms}
        )
        columns = _columns(document, text)
        row, created = ProfileVersion.objects.get_or_create(
            profile=profile,
            version=document.version,
            defaults={**columns, "created_by": viewer.name, "created_ms": now_ms},
        )
        drafts = ProfileVersion.objects.filter(pk=row.pk, status=Status.DRAFT)
        if created or drafts.update(**columns):
            _audit(viewer, "profile.draft", document.name, document.version, now_ms=now_ms)
        elif row.digest != document.digest:
            raise VersionExists(document.name, document.version, row.status)
    return version_view(viewer, document.name, document.version)


def publish_version(viewer: Viewer, *, name: str, version: str, now_ms: int) -> ProfileView:
    """Make a draft immutable and usable; publishing twice is once. Errors: UnknownProfile, NotPublishable, MayNot."""
    must_be(viewer, PUBLISHERS, "publish profiles")
    view = version_view(viewer, name, version)
    with transaction.atomic():
        drafts = _rows(viewer, view).filter(status=Status.DRAFT, digest=view.digest)
        if drafts.update(status=Status.PUBLISHED, published_ms=now_ms):
            publish(ProfilePublished(name, version, str(viewer.organisation_id)), now_ms=now_ms)
            _audit(viewer, "profile.publish", name, version, now_ms=now_ms)
    after = version_view(viewer, name, version)
    if after.status != Status.PUBLISHED:
        raise NotPublishable(name, version, after.status)
    return after


def deprecate_version(viewer: Viewer, *, name: str, version: str, now_ms: int) -> ProfileView:
    """Take a published version out of new choices; pinned jobs keep it. Errors: as publish_version."""
    must_be(viewer, PUBLISHERS, "deprecate profiles")
    view = version_view(viewer, name, version)
    with transaction.atomic():
        live = _rows(viewer, view).filter(status=Status.PUBLISHED)
        if live.update(status=Status.DEPRECATED, deprecated_ms=now_ms):
            _audit(viewer, "profile.deprecate", name, version, now_ms=now_ms)
    after = version_view(viewer, name, version)
    if after.status != Status.DEPRECATED:
        raise NotPublishable(name, version, after.status)
    return after


def ensure_published(viewer: Viewer, text: str | bytes, *, now_ms: int) -> str:
    """Draft and publish unless that version is there already; answers "name@version"."""
    view = draft_profile(viewer, text, now_ms=now_ms)
    if view.status == Status.DRAFT:
        publish_version(viewer, name=view.name, version=view.version, now_ms=now_ms)
    return f"{view.name}@{view.version}"


def _columns(document: Document, text: str | bytes) -> dict[str, object]:
    major, minor = document.version.split(".")
    return {
        "major": int(major),
        "minor": int(minor),
        "text": text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff"),
        "canonical": document.canonical,
        "digest": document.digest,
    }


def _rows(viewer: Viewer, view: ProfileView) -> QuerySet[ProfileVersion]:
    return ProfileVersion.objects.filter(
        profile__organisation_id=viewer.organisation_id, profile__name=view.name, version=view.version
    )


def must_be(viewer: Viewer, roles: frozenset[str], action: str) -> None:
    if not viewer.roles & roles:
        raise MayNot(action)


def _audit(viewer: Viewer, action: str, name: str, version: str, *, now_ms: int) -> None:
    record(viewer, Deed(action, f"{name}@{version}"), now_ms=now_ms)
