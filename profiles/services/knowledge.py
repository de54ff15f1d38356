"""Add to the knowledge base, or take back, without a release. Only platform administrators: it is everybody's.

Every step is audited and published as KnowledgeChanged in its transaction, so that whoever derived
capabilities from the knowledge can derive them again.
"""

from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max

from alldata.kernel.events import KnowledgeChanged
from alldata.outbox.publish import publish
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.viewer import Viewer
from profiles.errors import UnknownKnowledge
from profiles.hkb.upload import Upload, as_facts, read_upload
from profiles.models import HardwareKnowledge, HardwareOverride
from profiles.selectors.knowledge import knowledge
from profiles.services.versions import must_be

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
KEEPERS = frozenset({"platform_admin"})


def check_knowledge(text: str | bytes) -> Upload:
    """What an upload says, without keeping it. Errors: InvalidDocument."""
    return read_upload(text, knowledge())


def add_knowledge(viewer: Viewer, text: str | bytes, *, note: str = "", now_ms: int) -> tuple[Upload, str]:
    """Keep an upload of facts as the next version, or an operator's overrides; answers with what it
    said and the version of the knowledge now in force. What is in force already changes nothing.

    Errors: InvalidDocument, MayNot.
    """
    must_be(viewer, KEEPERS, "change the hardware knowledge base")
    upload = check_knowledge(text)
    with transaction.atomic():
        with connection.cursor() as cursor:  # versions are counted: a second uploader waits for the first
            cursor.execute(LOCK, ["hardware_knowledge"])
        kept = _keep_overrides(upload, now_ms=now_ms) if upload.kind == "override" else None
        if kept is None:
            kept = _keep_facts(viewer, upload, (_text(text), note), now_ms=now_ms)
        if kept:
            _announce(viewer, "hkb.add", {"digest": upload.digest, "kind": upload.kind}, now_ms=now_ms)
    return upload, knowledge().version


def _keep_facts(viewer: Viewer, upload: Upload, told: tuple[str, str], *, now_ms: int) -> bool:
    if HardwareKnowledge.objects.filter(digest=upload.digest, withdrawn_ms=None).exists():
        return False
    newest = HardwareKnowledge.objects.aggregate(newest=Max("version"))["newest"] or 0
    text, note = told
    HardwareKnowledge.objects.create(
        version=newest + 1, parts=list(upload.parts), text=text, digest=upload.digest, note=note[:200],
        created_by=viewer.name, created_ms=now_ms,
    )  # fmt: skip
    return True


def _keep_overrides(upload: Upload, *, now_ms: int) -> bool:
    """One row a value; a new word of the operator ends the one before."""
    changed = False
    for part in upload.parts:
        for dimension, fact in as_facts(part).items():
            key = {"vendor": part["vendor"], "model": part["model"], "dimension": dimension, "ended_ms": None}
            standing = HardwareOverride.objects.filter(**key)
            if standing.filter(value=fact["value"], type=part["type"]).exists():
                continue
            standing.update(ended_ms=now_ms)
            told = {"type": part["type"], "value": fact["value"], "reason": str(part.get("reason", ""))[:200]}
            HardwareOverride.objects.create(**key, **told, created_ms=now_ms)
            changed = True
    return changed


def withdraw_knowledge(viewer: Viewer, version: int, *, now_ms: int) -> str:
    """Take an upload out of force; answers with the version now in force. Errors: UnknownKnowledge, MayNot."""
    must_be(viewer, KEEPERS, "change the hardware knowledge base")
    with transaction.atomic():
        rows = HardwareKnowledge.objects.filter(version=version)
        if rows.filter(withdrawn_ms=None).update(withdrawn_ms=now_ms):
            _announce(viewer, "hkb.withdraw", {"version": version}, now_ms=now_ms)
        elif not rows.exists():
            raise UnknownKnowledge(str(version))
    return knowledge().version


def end_override(viewer: Viewer, override: UUID, *, now_ms: int) -> str:
    """Take an operator's value back; answers with the version now in force. Errors: as withdraw_knowledge."""
    must_be(viewer, KEEPERS, "change the hardware knowledge base")
    with transaction.atomic():
        rows = HardwareOverride.objects.filter(pk=override)
        if rows.filter(ended_ms=None).update(ended_ms=now_ms):
            _announce(viewer, "hkb.end_override", {"override": str(override)}, now_ms=now_ms)
        elif not rows.exists():
            raise UnknownKnowledge(str(override))
    return knowledge().version


def _announce(viewer: Viewer, action: str, facts: dict[str, object], *, now_ms: int) -> None:
    version = knowledge().version
    publish(KnowledgeChanged(version, now_ms), now_ms=now_ms)
    record(viewer, Deed(action, f"hkb@{version}", facts=facts), now_ms=now_ms)


def _text(text: str | bytes) -> str:
    return text.decode("utf-8-sig") if isinstance(text, bytes) else text
