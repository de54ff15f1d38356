"""What is known of hardware just now: what shipped, what was uploaded since, and operators' own words?

Facts of hardware are nobody's secret: every viewer sees all of them.
"""

from dataclasses import dataclass
from functools import lru_cache

from profiles.hkb.lookup import Knowledge, Part, published, read_fact, read_part
from profiles.models import HardwareKnowledge, HardwareModel, HardwareOverride


@dataclass(frozen=True, slots=True)
class KnowledgeRow:
    """One upload in the list of versions."""

    version: int
    digest: str
    models: tuple[str, ...]
    note: str
    created_by: str
    created_ms: int
    withdrawn_ms: int | None


@dataclass(frozen=True, slots=True)
class OverrideRow:
    """One value of an operator, in force or ended."""

    id: str
    type: str
    vendor: str
    model: str
    dimension: str
    value: str
    reason: str
    created_ms: int
    ended_ms: int | None


def knowledge() -> Knowledge:
    """Published facts, with later facts and then overrides on top; hand it to `derive`.

    `version` reads `2026-11-29+3.ab12cd34`: the release's data, the newest upload in force, and a
    mark of the overrides; it changes whenever an answer may change.
    """
    uploads = tuple(HardwareKnowledge.objects.filter(withdrawn_ms=None).order_by("version").values_list("id"))
    facts = tuple(HardwareModel.objects.filter(valid_to_ms=None).order_by("id").values_list("id"))
    overrides = tuple(HardwareOverride.objects.filter(ended_ms=None).order_by("id").values_list("id"))
    if not (uploads or facts or overrides):
        return published()
    return _assembled(tuple(str(key) for (key,) in uploads), tuple(str(key) for (key,) in (*facts, *overrides)))


@lru_cache(maxsize=8)
def _assembled(uploads: tuple[str, ...], rows: tuple[str, ...]) -> Knowledge:
    """Rows never change once written, so the keys of those in force say everything."""
    known, base = published(), published().version
    in_force = list(HardwareKnowledge.objects.filter(pk__in=uploads).order_by("version"))
    for upload in in_force:
        known = known.with_parts(base, [read_part(entry) for entry in upload.parts])
    own = [*HardwareModel.objects.filter(pk__in=rows).order_by("id")]
    added = [_part(row, {"value": row.value, "grade": row.grade, "source": row.source}) for row in own]
    words = HardwareOverride.objects.filter(pk__in=rows).order_by("id")
    added += [_part(row, {"value": row.value, "grade": "overridden", "source": "operator"}) for row in words]
    newest = f"+{in_force[-1].version}" if in_force else ""
    mark = f".{hash_of(rows)}" if rows else ""
    return known.with_parts(f"{base}{newest}{'' if len(uploads) < 2 else f'({len(uploads)})'}{mark}", added)


def hash_of(rows: tuple[str, ...]) -> str:
    """A short mark of the rows in force: the end of the newest id, and how many there are."""
    return f"{max(rows)[-8:]}x{len(rows)}"


def _part(row: HardwareModel | HardwareOverride, fact: dict[str, object]) -> Part:
    return Part(row.type, row.vendor, row.model, (), {row.dimension: read_fact(row.type, row.dimension, fact)})


def knowledge_versions() -> list[KnowledgeRow]:
    """Every upload, newest first."""
    return [
        KnowledgeRow(
            row.version,
            row.digest,
            tuple(entry["model"] for entry in row.parts),
            row.note,
            row.created_by,
            row.created_ms,
            row.withdrawn_ms,
        )
        for row in HardwareKnowledge.objects.order_by("-version")
    ]


def overrides() -> list[OverrideRow]:
    """Every value an operator gave, newest first."""
    return [
        OverrideRow(
            str(row.pk),
            row.type,
            row.vendor,
            row.model,
            row.dimension,
            row.value,
            row.reason,
            row.created_ms,
            row.ended_ms,
        )
        for row in HardwareOverride.objects.order_by("-created_ms", "-id")
    ]
