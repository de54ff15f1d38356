"""The language as JSON Schema (2020-12), made from the tables that the parser reads.

It accepts every valid document (a test holds it to that) and refuses wrong keys, types and words,
so editors can help while one writes. What a schema cannot say (units of a value, overlays,
contradictions, plausible ranges) only the parser checks. Modes and alternatives are overlays:
there nothing is required and null takes a key away.
"""

from collections.abc import Callable, Iterable

from profiles.dimensions import DEVICE_TYPES, attribute
from profiles.rcdl import tables

Schema = dict[str, object]
DRAFT = "https://json-schema.org/draft/2020-12/schema"
NUMBER: Schema = {"type": ["number", "string"]}
WORD: Schema = {"type": ["string", "number", "boolean"]}
DURATION: Schema = {"type": "string", "pattern": r"^\s*[0-9]{1,12}\s*(ms|s|m)\s*$"}
COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": tables.MOST_DEVICES}


def schema() -> Schema:
    """The whole schema, plain data."""
    return {
        "$schema": DRAFT,
        "title": "RCDL, the resource capability description language",
        "description": "Demand (a profile) or supply (described hardware). Numbers may carry a unit: 120 GB/s.",
        "oneOf": [_ref("supply"), _ref("demand")],
        "$defs": {
            "supply": _supply(),
            "demand": _demand(),
            "overlay": _closed(_blocks() | {key: _list({"type": "object"}) for key in ("resources", "components")}),
            "resource": _each_kind(_resource),
            "part": _each_kind(_part),
            "component": _component(),
            "alignment": _alignment(),
            "constraint": _constraint(),
        },
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _closed(properties: Schema, required: Iterable[str] = ()) -> Schema:
    """A map of these keys only; what is not required may also be null."""
    needed = sorted(required)
    allowed = {key: value if key in needed else _or_null(value) for key, value in properties.items()}
    found: Schema = {"type": "object", "properties": allowed, "additionalProperties": False}
    return found | ({"required": needed} if needed else {})


def _or_null(value: object) -> Schema:
    kinds = value.get("type") if isinstance(value, dict) else None
    if isinstance(value, dict) and kinds is not None and "enum" not in value:
        return value | {"type": [*(kinds if isinstance(kinds, list) else [kinds]), "null"]}
    return {"anyOf": [value, {"type": "null"}]}


def _named(names: Iterable[str], value: Schema) -> Schema:
    """A map whose keys are among `names`."""
    return {"type": "object", "propertyNames": _one_of(names), "additionalProperties": _or_null(value)}


def _one_of(words: Iterable[str]) -> Schema:
    return {"enum": list(words)}


def _list(items: Schema, most: int = tables.MOST_RESOURCES) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}


def _each_kind(make: Callable[[str], Schema]) -> Schema:
    return {"oneOf": [make(kind) for kind in DEVICE_TYPES]}


def _supply() -> Schema:
    """Without `kind`, hardware is what has attributes in every entry."""
    told: Schema = dict.fromkeys(("name", "version", "description"), WORD)
    parts: Schema = {"type": "array", "items": _ref("part"), "minItems": 1}
    stated: Schema = {"properties": {"kind": {"const": "supply"}}, "required": ["kind"]}
    described: Schema = {"properties": {"resources": {"items": {"required": ["attributes"]}}}}
    found = _closed(told | {"kind": _one_of(["supply"]), "resources": parts}, ["resources"])
    return found | {"anyOf": [stated, described]}


def _demand() -> Schema:
    body = _blocks() | {
        "kind": _one_of(("demand", "profile")),
        "name": {"type": ["string", "number"], "pattern": f"^{tables.NAME.pattern}$"},
        "version": {"type": ["string", "number"], "pattern": f"^{tables.VERSION.pattern}$"},
        "description": WORD,
        "resources": _list(_ref("resource")),
        "components": _list(_ref("component")),
        "modes": {
            "type": "object",
            "additionalProperties": _or_null(_ref("overlay")),
            "maxProperties": tables.MOST_MODES,
        },
        "alternatives": _list(_ref("overlay"), tables.MOST_RUNGS),
    }
    listed: list[Schema] = [{"required": ["resources"]}, {"required": ["components"]}]
    either: Schema = {"oneOf": [*listed, {"required": ["lru"], "not": {"anyOf": listed}}]}
    return _closed(body, ("name", "version")) | either


def _blocks() -> Schema:
    """What stands beside the resources."""
    serving: Schema = {
        key: {"type": "number", "exclusiveMinimum": low, "maximum": high} for key, (low, high) in tables.SERVING.items()
    }
    rates: Schema = dict.fromkeys(tables.RATES, NUMBER)
    return {
        "alignment": _ref("alignment"),
        "grace_period": DURATION,
        "scheduling": _closed(
            {
                "priority_class": _one_of(tables.PRIORITIES),
                "deadline_policy": _one_of(tables.DEADLINES),
                "policy": _one_of(tables.POLICIES),
            }
        ),
        "cost_model": _closed({"currency": {"type": "string", "pattern": f"^{tables.CURRENCY.pattern}$"}} | rates),
        "serving": _closed(serving),
        "lru": _closed({"name": WORD, "unit": _named(tables.unit_names(), NUMBER), "count": COUNT}),
    }


def _alignment() -> Schema:
    flag: Schema = {"type": "boolean"}
    same, spread = _one_of(tables.SAME), _one_of(tables.SPREAD)
    return _closed({"same": same, "spread": spread, "allow_cross_numa": flag})


def _component() -> Schema:
    properties: Schema = {"name": WORD, "count": COUNT, "resources": _list(_ref("resource")) | {"minItems": 1}}
    return _closed(properties | {"alignment": _ref("alignment")}, ("name", "resources"))


def _resource(kind: str) -> Schema:
    """One entry of a profile's `resources`."""
    share: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
    capability: Schema = {"name": _one_of(tables.capability_names(kind)), "target": share}
    capability |= {"amount": NUMBER, "max": NUMBER}
    properties: Schema = {
        "type": {"const": kind},
        "name": WORD,
        "count": COUNT,
        "constraints": _named(tables.constraint_names(kind), _ref("constraint")),
        "capabilities": _list(_closed(capability, ["name"])),
    }
    return _closed(properties, ["type"])


def _constraint() -> Schema:
    """A value, a list of them, or {min, max, regex, one_of, equals}; null only in overlays."""
    values: Schema = {"anyOf": [WORD, {"type": "array", "items": WORD, "minItems": 1}]}
    lists = ("one_of", "equals")
    return {"anyOf": [values, _closed({form: values if form in lists else WORD for form in tables.FORMS})]}


def _part(kind: str) -> Schema:
    """One described piece of hardware."""
    attributes: Schema = {}
    for name in tables.attribute_names(kind):
        dimension, _ = attribute(name, kind)
        shown = dimension.shown_unit or dimension.unit or "text"
        attributes[name] = {"type": ["number", "string"], "description": f"{dimension.title} ({shown})"}
    properties: Schema = {"name": WORD, "type": {"const": kind}, "vendor": WORD, "model": WORD}
    return _closed(properties | {"attributes": _closed(attributes)}, ("name", "type"))
