"""Profiles in the database: published text never changes, and others' profiles do not exist."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from alldata.kernel.events import ProfilePublished
from alldata.outbox.models import OutboxEvent
from alldata.tenancy.errors import MayNot
from alldata.tenancy.models import AuditEntry, Organisation
from alldata.tenancy.viewer import Viewer
from profiles.errors import InvalidDocument, NotPublishable, UnknownProfile, VersionExists
from profiles.models import HardwareOverride, ProfileVersion
from profiles.rcdl.advisor import Trusting
from profiles.rcdl.parse import load, parse
from profiles.selectors import knowledge, profiles_of, resolve_version, version_view
from profiles.services import deprecate_version, draft_profile, ensure_published, publish_version

NOW = 1_795_000_000_000


def text(version: str = "1.0", cores: int = 1) -> str:
    need = f"{{type: cpu, capabilities: [{{name: cores, amount: {cores}}}]}}"
    return f"name: small\nversion: '{version}'\nresources: [{need}]\nmodes: {{training: {{}}}}\n"


def viewer(slug: str = "acme", *roles: str) -> Viewer:
    organisation, _ = Organisation.objects.get_or_create(slug=slug, defaults={"name": slug})
    return Viewer(organisation.id, None, "kim", roles=frozenset(roles or ("platform_admin",)))


def published(version: str = "1.0", cores: int = 1) -> Viewer:
    kim = viewer()
    ensure_published(kim, text(version, cores), now_ms=NOW)
    return kim


def test_a_published_version_answers_with_its_demand() -> None:
    view = resolve_version(published(), "small", "1.0")
    assert view.document.modes["training"].resources[0].amounts == {"cpu_millicores": 1000}
    assert (view.status, view.published_ms, view.modes) == ("published", NOW, ("training",))


def test_without_a_version_the_newest_published_is_meant() -> None:
    published("1.9"), published("1.10")
    kim = viewer()
    draft_profile(kim, text("2.0"), now_ms=NOW)
    assert resolve_version(kim, "small").version == "1.10"


def test_a_draft_can_be_rewritten_but_not_used() -> None:
    kim = viewer()
    draft_profile(kim, text(cores=1), now_ms=NOW)
    assert draft_profile(kim, text(cores=2), now_ms=NOW).document.body.resources[0].amounts["cpu_millicores"] == 2000
    with pytest.raises(UnknownProfile):
        resolve_version(kim, "small", "1.0")


def test_a_published_version_refuses_another_text_and_repeats_itself() -> None:
    kim = published()
    with pytest.raises(VersionExists):
        draft_profile(kim, text(cores=2), now_ms=NOW)
    assert ensure_published(kim, text(), now_ms=NOW + 1) == "small@1.0"


@pytest.mark.parametrize("change", [{"text": "x"}, {"digest": "x"}, {"status": "draft", "published_ms": None}])
def test_the_database_itself_refuses_to_change_published_text(change: dict[str, object]) -> None:
    published()
    with pytest.raises(IntegrityError, match="cannot change"), transaction.atomic():
        ProfileVersion.objects.update(**change)


def test_the_database_itself_refuses_to_delete_a_published_version() -> None:
    published()
    with pytest.raises(IntegrityError, match="cannot change"), transaction.atomic():
        ProfileVersion.objects.all().delete()


def test_a_deprecated_version_still_serves_the_jobs_that_pin_it() -> None:
    kim = published()
    deprecate_version(kim, name="small", version="1.0", now_ms=NOW + 1)
    assert resolve_version(kim, "small", "1.0").status == "deprecated"
    with pytest.raises(UnknownProfile):
        resolve_version(kim, "small")
    with pytest.raises(NotPublishable):
        publish_version(kim, name="small", version="1.0", now_ms=NOW + 2)


def test_publishing_twice_is_one_fact_and_one_audit_entry() -> None:
    kim = published()
    publish_version(kim, name="small", version="1.0", now_ms=NOW + 5)
    assert OutboxEvent.objects.filter(name=ProfilePublished.name).count() == 1
    assert list(AuditEntry.objects.order_by("id").values_list("action", flat=True)) == [
        "profile.draft",
        "profile.publish",
    ]


def test_another_organisation_sees_nothing() -> None:
    published()
    stranger = viewer("other")
    assert profiles_of(stranger) == []
    with pytest.raises(UnknownProfile):
        version_view(stranger, "small", "1.0")


def test_members_draft_and_only_admins_publish() -> None:
    member = viewer("acme", "member")
    draft_profile(member, text(), now_ms=NOW)
    with pytest.raises(MayNot):
        publish_version(member, name="small", version="1.0", now_ms=NOW)
    with pytest.raises(MayNot):
        draft_profile(viewer("acme", "viewer"), text(), now_ms=NOW)


def test_a_misspelt_profile_gets_a_suggestion() -> None:
    with pytest.raises(UnknownProfile, match="did you mean small"):
        resolve_version(published(), "smal")
    with pytest.raises(UnknownProfile, match=r"did you mean small 1\.0"):
        resolve_version(viewer(), "small", "7.0")


def test_a_faulty_document_leaves_nothing_behind() -> None:
    kim = viewer()
    with pytest.raises(InvalidDocument):
        draft_profile(kim, "name: small\nversion: '1.0'\nresources: []\n", now_ms=NOW)
    assert profiles_of(kim) == []


def test_what_was_published_stays_readable_when_the_plausible_ranges_change() -> None:
    kim = published()
    implausible = resolve_version(kim, "small").document.canonical.replace("1000", str(10**12))
    assert parse(implausible).errors[0].code == "unit_slip"
    assert load(implausible, Trusting()).body.resources[0].amounts == {"cpu_millicores": 10**12}


def test_an_operators_override_reaches_the_knowledge() -> None:
    HardwareOverride.objects.create(
        id=uuid4(), type="cpu", vendor="amd", model="epyc-9654", dimension="memory_bandwidth",
        value="420 GB/s", reason="six channels filled", created_ms=NOW,
    )  # fmt: skip
    part = knowledge().find("cpu", "AMD EPYC 9654 96-Core Processor")
    assert part is not None and part.facts["memory_bandwidth"].value == 420 * 10**9
    assert part.facts["cores"].value == 96
