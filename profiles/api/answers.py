"""How parts of the knowledge base read in JSON."""

from profiles.dimensions import BY_NAME, Kind
from profiles.hkb.lookup import link_facts
from profiles.hkb.parts import Fact, Part
from profiles.hkb.upload import Upload


def upload_json(upload: Upload) -> dict[str, object]:
    warnings = [problem.as_json() for problem in upload.warnings]
    return {"valid": True, "kind": upload.kind, "digest": upload.digest, "parts": upload.parts, "warnings": warnings}


def links_json() -> list[dict[str, object]]:
    """What a link of each generation carries."""
    return [
        {"family": family, "name": name, "facts": {key: fact_json(key, fact) for key, fact in facts.items()}}
        for (family, name), facts in link_facts().items()
    ]


def part_json(part: Part) -> dict[str, object]:
    return {
        "type": part.type,
        "vendor": part.vendor,
        "model": part.model,
        "names": part.names,
        "pci_ids": part.pci_ids,
        "facts": {name: fact_json(name, fact) for name, fact in part.facts.items()},
        "details": {name: fact_json(name, fact) for name, fact in part.details.items()},
        "notes": part.notes,
    }


def fact_json(name: str, fact: Fact) -> dict[str, object]:
    """The value in base units with its unit, and as people read it; null where nobody could tell."""
    dimension = BY_NAME.get(name)
    number = fact.number
    shown = (
        dimension.show(number) if dimension and number is not None and dimension.kind is not Kind.SET else fact.value
    )
    return {
        "value": fact.value,
        "unit": dimension.unit if dimension else fact.unit,
        "shown": None if fact.value is None else str(shown),
        "source": fact.source,
        "quality": fact.quality,
        "grade": fact.grade,
        "origin": fact.origin,
        "date": fact.checked,
        "how": fact.how,
    }
