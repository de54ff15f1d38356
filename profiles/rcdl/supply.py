"""Read described hardware: named resources whose attributes are limits and capacities."""

from profiles.dimensions import DEVICE_TYPES, Kind, attribute, known_names
from profiles.errors import UnknownCapability
from profiles.rcdl.document import Part, Value
from profiles.rcdl.fields import Fields
from profiles.rcdl.units import amount


def parts(fields: Fields) -> tuple[Part, ...]:
    """All resources of a supply document; names are unique."""
    fields.only(("kind", "name", "version", "description", "resources"))
    found: dict[str, Part] = {}
    for inner in fields.maps("resources"):
        part = _part(inner)
        if part is not None and part.name in found:
            inner.error("name", "duplicate", "each name once")
        elif part is not None:
            found[part.name] = part
    if not found and not fields.findings.errors:
        fields.error("resources", "missing", "at least one resource")
    return tuple(found.values())


def _part(fields: Fields) -> Part | None:
    fields.only(("name", "type", "vendor", "model", "attributes"))
    name, kind = fields.text("name"), fields.choice("type", DEVICE_TYPES, "")
    for key in ("name", "type"):
        if fields.scalar(key) is None:
            fields.error(key, "missing", f"a {key}")
    attributes = fields.inner("attributes")
    if not name or not kind:
        return None
    found = _attributes(attributes, kind) if attributes else {}
    return Part(name, kind, fields.text("vendor"), fields.text("model"), found)


def _attributes(fields: Fields, kind: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key in fields.tree.items:
        try:
            dimension, scale = attribute(key, kind)
        except UnknownCapability:
            fields.findings.unknown(fields.spot(key), "unknown_key", key, known_names(kind))
            continue
        value = fields.scalar(key)
        if value is None:
            fields.error(key, "wrong_type", "a value")
            continue
        if dimension.kind is Kind.SET or dimension.unit == "version":
            found[dimension.name] = value.text
        elif (base := amount(value.text, dimension, scale, fields.spot(key), fields.findings)) is not None:
            found[dimension.name] = base
    return found
