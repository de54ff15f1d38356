"""Read described hardware: named resources whose attributes are limits and capacities."""

from profiles.dimensions import DEVICE_TYPES, Kind, attribute
from profiles.errors import UnknownCapability
from profiles.rcdl.constraints import version_text
from profiles.rcdl.document import Part, Supply, Value
from profiles.rcdl.fields import Fields
from profiles.rcdl.lint import lint_part
from profiles.rcdl.tables import PART, SUPPLY, attribute_names
from profiles.rcdl.units import quantity


def supply(fields: Fields) -> Supply:
    """A supply document; names are unique."""
    fields.only(SUPPLY)
    found: dict[str, Part] = {}
    read: list[Fields] = []
    for inner in fields.maps("resources"):
        part = _part(inner)
        if part is not None and part.name in found:
            inner.error("name", "duplicate", "each name once")
        elif part is not None:
            found[part.name] = part
            read.append(inner)
    if not found and not fields.findings.errors:
        fields.error("resources", "missing", "at least one resource")
    if fields.findings.advisor is not None:
        for index, advice in fields.findings.advisor.of_parts(tuple(found.values())):
            read[index].advise(advice)
    return Supply(tuple(found.values()), fields.text("name"), fields.text("version"), fields.text("description"))


def _part(fields: Fields) -> Part | None:
    fields.only(PART)
    name, kind = fields.text("name"), fields.choice("type", DEVICE_TYPES, "")
    for key in ("name", "type"):
        if fields.scalar(key) is None:
            fields.error(key, "missing", f"a {key}")
    attributes = fields.inner("attributes")
    if not name or not kind:
        return None
    found = _attributes(attributes, kind) if attributes else {}
    part = Part(name, kind, fields.text("vendor"), fields.text("model"), found)
    if not fields.findings.warned:
        lint_part(part, fields)
    return part


def _attributes(fields: Fields, kind: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key in fields.tree.items:
        value = fields.scalar(key)
        try:
            dimension, scale = attribute(key, kind)
        except UnknownCapability:
            fields.findings.unknown(fields.spot(key), "unknown_key", key, attribute_names(kind))
            continue
        if dimension.name in found:
            fields.error(key, "duplicate", f"{dimension.name} once")
        elif value is None:
            fields.error(key, "wrong_type", "a value")
        elif dimension.kind is Kind.SET:
            found[dimension.name] = value.text
        elif dimension.unit == "version":
            found[dimension.name] = version_text(value.text)
        elif (base := quantity(value.text, dimension, scale, fields.spot(key), fields.findings)) is not None:
            found[dimension.name] = base
    return found
