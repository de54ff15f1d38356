"""The knowledge base in the database: added without a release, versioned, never rewritten."""

from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from alldata.kernel.events import KnowledgeChanged
from alldata.outbox.models import OutboxEvent
from alldata.tenancy.errors import MayNot
from alldata.tenancy.models import AuditEntry, Organisation
from alldata.tenancy.viewer import Viewer
from profiles.errors import InvalidDocument, UnknownKnowledge
from profiles.hkb.lookup import published
from profiles.models import HardwareKnowledge
from profiles.selectors.knowledge import knowledge, knowledge_versions, overrides
from profiles.services.knowledge import add_knowledge, check_knowledge, end_override, withdraw_knowledge

NOW = 1_795_000_000_000
pytestmark = pytest.mark.django_db
OVERRIDE = "hardware_knowledge_base: {override: [{vendor: amd, model: epyc-9654, memory_bandwidth_gbps: %s}]}"


def viewer(*roles: str) -> Viewer:
    organisation, _ = Organisation.objects.get_or_create(slug="acme", defaults={"name": "acme"})
    return Viewer(organisation.id, None, "kim", roles=frozenset(roles or ("platform_admin",)))


def parts(count: int = 150) -> str:
    fact = f"{{value: {count}, quality: published, source: vendor page}}"
    part = f"{{type: gpu, vendor: nvidia, model: b300, names: [NVIDIA B300], facts: {{sm_count: {fact}}}}}"
    return f"checked: 2026-12-01\nparts: [{part}]\n"


def sm_count() -> object:
    part = knowledge().find("gpu", "NVIDIA B300")
    return part.facts["sm_count"].value if part else None


def test_a_new_part_is_known_at_once_and_the_version_says_so() -> None:
    _, version = add_knowledge(viewer(), parts(), note="first boards", now_ms=NOW)
    assert sm_count() == 150
    assert version == f"{published().version}+1" == knowledge().version
    assert [(row.version, row.models, row.note) for row in knowledge_versions()] == [(1, ("b300",), "first boards")]


def test_a_later_upload_wins_and_its_withdrawal_gives_the_earlier_back() -> None:
    add_knowledge(viewer(), parts(150), now_ms=NOW)
    add_knowledge(viewer(), parts(160), now_ms=NOW)
    assert sm_count() == 160
    withdraw_knowledge(viewer(), 2, now_ms=NOW + 1)
    assert sm_count() == 150 and knowledge_versions()[0].withdrawn_ms == NOW + 1


def test_the_same_upload_twice_is_one_version_one_fact_and_one_entry() -> None:
    for _ in range(2):
        add_knowledge(viewer(), parts(), now_ms=NOW)
    assert HardwareKnowledge.objects.count() == 1
    assert OutboxEvent.objects.filter(name=KnowledgeChanged.name).count() == 1
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["hkb.add"]


def test_an_override_replaces_the_one_before_and_can_be_ended() -> None:
    for speed in (420, 410):
        add_knowledge(viewer(), OVERRIDE % speed, now_ms=NOW + speed)
    part = knowledge().find("cpu", "AMD EPYC 9654 96-Core Processor")
    assert part is not None and part.facts["memory_bandwidth"].value == 410 * 10**9
    now, before = sorted(overrides(), key=lambda row: row.ended_ms or 0)
    assert (now.value, before.ended_ms) == ("410 GB/s", NOW + 410)
    end_override(viewer(), UUID(now.id), now_ms=NOW + 500)
    assert knowledge().version == published().version


def test_every_change_in_force_changes_the_version() -> None:
    seen = [knowledge().version]
    for text in (parts(150), OVERRIDE % 420, parts(160), OVERRIDE % 400):
        seen.append(add_knowledge(viewer(), text, now_ms=NOW)[1])
    seen.append(withdraw_knowledge(viewer(), 1, now_ms=NOW))
    assert len(set(seen)) == len(seen)


def test_a_faulty_upload_and_a_mere_check_leave_nothing_behind() -> None:
    with pytest.raises(InvalidDocument):
        add_knowledge(viewer(), parts().replace("sm_count", "sm_cuont"), now_ms=NOW)
    assert check_knowledge(parts()).kind == "facts"
    assert knowledge_versions() == [] and sm_count() is None


def test_only_platform_administrators_change_what_is_everybodys() -> None:
    with pytest.raises(MayNot):
        add_knowledge(viewer("team_admin"), parts(), now_ms=NOW)
    with pytest.raises(MayNot):
        withdraw_knowledge(viewer("team_admin"), 1, now_ms=NOW)


def test_what_is_not_there_cannot_be_withdrawn() -> None:
    with pytest.raises(UnknownKnowledge, match="no 7"):
        withdraw_knowledge(viewer(), 7, now_ms=NOW)


@pytest.mark.parametrize("change", [{"parts": []}, {"version": 9}, {"created_ms": 1}])
def test_the_database_itself_refuses_to_rewrite_an_upload(change: dict[str, object]) -> None:
    add_knowledge(viewer(), parts(), now_ms=NOW)
    with pytest.raises(IntegrityError, match="cannot change"), transaction.atomic():
        HardwareKnowledge.objects.update(**change)
