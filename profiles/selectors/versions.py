"""Which profiles are there, and what exactly does one version say? Frozen answers only."""

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.db.models import Prefetch, QuerySet

from alldata.tenancy.viewer import Viewer
from profiles.dimensions import closest
from profiles.errors import UnknownProfile
from profiles.models import Profile, ProfileVersion, Status
from profiles.rcdl.advisor import Trusting
from profiles.rcdl.document import Document
from profiles.rcdl.parse import load


@dataclass(frozen=True, slots=True)
class ProfileView:
    """One version with its document read."""

    name: str
    version: str
    status: str
    digest: str
    text: str
    document: Document
    created_by: str
    created_ms: int
    published_ms: int | None
    deprecated_ms: int | None

    @property
    def modes(self) -> tuple[str, ...]:
        return tuple(sorted(self.document.modes))


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version in a list."""

    version: str
    status: str
    digest: str
    published_ms: int | None


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A profile with its versions, newest first."""

    name: str
    versions: tuple[VersionRow, ...]

    @property
    def latest(self) -> VersionRow | None:
        """The newest published version."""
        return next((row for row in self.versions if row.status == Status.PUBLISHED), None)


def profiles_of(viewer: Viewer) -> list[ProfileRow]:
    """All profiles of the viewer's organisation, by name."""
    newest = ProfileVersion.objects.order_by("-major", "-minor")
    rows = Profile.objects.filter(organisation_id=viewer.organisation_id).order_by("name")
    return [
        ProfileRow(
            profile.name,
            tuple(VersionRow(v.version, v.status, v.digest, v.published_ms) for v in profile.versions.all()),
        )
        for profile in rows.prefetch_related(Prefetch("versions", newest))
    ]


def resolve_version(viewer: Viewer, name: str, version: str | None = None) -> ProfileView:
    """The version a job may use: the one named, or the newest published. Errors: UnknownProfile."""
    rows = _versions(viewer, name).exclude(status=Status.DRAFT)
    rows = rows.filter(version=version) if version else rows.filter(status=Status.PUBLISHED)
    row = rows.order_by("-major", "-minor").first()
    if row is None:
        raise UnknownProfile(name, version, _suggestion(viewer, name, version))
    return view_of(row)


#: Versions that were named and found: once published they can neither change nor go, so they are read once.
_pinned: dict[tuple[UUID, str, str], ProfileView] = {}
MOST_PINNED = 1024


def pinned_version(viewer: Viewer, name: str, version: str) -> ProfileView:
    """The named version, as it was when first asked for: its status may be older. Errors: UnknownProfile."""
    key = viewer.organisation_id, name, version
    if key not in _pinned:
        if len(_pinned) >= MOST_PINNED:
            _pinned.clear()
        _pinned[key] = resolve_version(viewer, name, version)
    return _pinned[key]


def version_view(viewer: Viewer, name: str, version: str) -> ProfileView:
    """One version in any status. Errors: UnknownProfile."""
    row = _versions(viewer, name).filter(version=version).first()
    if row is None:
        raise UnknownProfile(name, version, _suggestion(viewer, name, version))
    return view_of(row)


def view_of(row: ProfileVersion) -> ProfileView:
    """The frozen answer for a row (inside this app only)."""
    return ProfileView(
        name=row.profile.name,
        version=row.version,
        status=row.status,
        digest=row.digest,
        text=row.text,
        document=_document(row.digest, row.canonical),
        created_by=row.created_by,
        created_ms=row.created_ms,
        published_ms=row.published_ms,
        deprecated_ms=row.deprecated_ms,
    )


@lru_cache(maxsize=256)
def _document(digest: str, canonical: str) -> Document:
    """Reading is costly and versions never change: `digest` is the key that matters."""
    return load(canonical, Trusting())


def _versions(viewer: Viewer, name: str) -> QuerySet[ProfileVersion]:
    mine = ProfileVersion.objects.filter(profile__organisation_id=viewer.organisation_id, profile__name=name)
    return mine.select_related("profile")


def _suggestion(viewer: Viewer, name: str, version: str | None) -> str | None:
    """Another version of the profile, or the profile whose name is nearest."""
    rows = {row.name: row for row in profiles_of(viewer)}
    known = rows.get(name) if version else None
    if known is not None and known.latest is not None:
        return f"{name} {known.latest.version}"
    return closest(name, (other for other, row in rows.items() if other != name and row.latest))
