"""Read what is added to the knowledge base after a release, with every fault located.

Two forms, YAML or JSON:
    parts: [{type, vendor, model, names?, pci_ids?, facts: {dimension: {value, unit?, quality?, source, date?}}}]
    hardware_knowledge_base: {override: [{vendor, model, type?, <dimension>: value, ...}]}
The first adds facts that others can check (each names its source); the second is an operator's
own word, which wins over everything. Values are held to the same units and plausible ranges as
documents are, so a slip is refused here and not found later in a bill.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from profiles.dimensions import DEVICE_TYPES, Dimension, Kind, known_names, to_base
from profiles.errors import InvalidDocument, UnknownCapability
from profiles.hkb.advice import HardwareAdvisor
from profiles.hkb.lookup import Knowledge
from profiles.hkb.reading import held_by
from profiles.rcdl.build import read
from profiles.rcdl.fields import Fields
from profiles.rcdl.problems import Findings, Problem
from profiles.rcdl.tree import Scalar, Sequence
from profiles.rcdl.units import quantity

MOST_BYTES, MOST_PARTS = 1_000_000, 2_000
QUALITIES = ("published", "derived", "recalled", "unknown")
PART = ("type", "vendor", "model", "names", "pci_ids", "notes", "facts")
FACT = ("value", "unit", "quality", "source", "date", "how")
PCI_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
WORD = re.compile(r"[a-z0-9][a-z0-9.+-]{0,79}")

Plain = dict[str, object]


@dataclass(frozen=True, slots=True)
class Upload:
    """What was said: `kind` is facts or override; `parts` are entries as the data files have them."""

    kind: str
    parts: tuple[Plain, ...]
    warnings: tuple[Problem, ...]

    @property
    def digest(self) -> str:
        text = json.dumps([self.kind, self.parts], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def read_upload(text: str | bytes, known: Knowledge) -> Upload:
    """The parts in `text`. Errors: InvalidDocument with line, path and suggestion."""
    findings = Findings(HardwareAdvisor(known))
    tree = read(text, findings, most_bytes=MOST_BYTES)
    fields = Fields.of(tree, "", findings) if tree is not None else None
    kind, parts = _read(fields, known) if fields is not None else ("", [])
    if fields is not None and not parts and not findings.errors:
        fields.error("parts", "missing", "at least one part")
    if findings.errors:
        raise InvalidDocument(tuple(p.as_json() for p in sorted(findings.errors, key=lambda p: (p.line, p.column))))
    return Upload(kind, tuple(parts), tuple(findings.warnings))


def _read(fields: Fields, known: Knowledge) -> tuple[str, list[Plain]]:
    if "hardware_knowledge_base" not in fields.tree.items:
        fields.only(("checked", "parts"))
        checked = _date(fields, "checked", "")
        return "facts", _each_once(fields, "parts", [(part, _part(part, checked)) for part in _maps(fields, "parts")])
    fields.only(("hardware_knowledge_base",))
    inner = fields.inner("hardware_knowledge_base")
    if inner is None:
        return "override", []
    inner.only(("override",))
    found = [(entry, _override(entry, known)) for entry in _maps(inner, "override")]
    return "override", _each_once(inner, "override", found)


def _maps(fields: Fields, key: str) -> list[Fields]:
    return list(fields.maps(key, most=MOST_PARTS))


def _each_once(fields: Fields, key: str, found: list[tuple[Fields, Plain | None]]) -> list[Plain]:
    seen: set[tuple[object, object]] = set()
    for place, part in found:
        name = (part["type"], part["model"]) if part else (None, place.path)
        if name in seen:
            place.error("model", "duplicate", "each model once")
        seen.add(name)
    return [part for _, part in found if part is not None]


def _named(fields: Fields) -> tuple[str, str]:
    """Vendor and model, the vendor-neutral keys that constraints use."""
    found = []
    for key in ("vendor", "model"):
        text = fields.text(key)
        if not WORD.fullmatch(text):
            fields.error(key, "out_of_range" if text else "missing", "lower-case letters, digits, dots, dashes, plus")
        found.append(text)
    return found[0], found[1]


def _part(fields: Fields, checked: str) -> Plain | None:
    fields.only(PART)
    vendor, model = _named(fields)
    kind, facts = fields.choice("type", DEVICE_TYPES, ""), fields.inner("facts")
    if not kind or facts is None:
        fields.error("facts" if kind else "type", "missing", "facts" if kind else "a type of device")
        return None
    read_facts = {}
    for name in facts.tree.items:
        about = _about(facts, name, kind)
        inner = facts.inner(name) if about else None
        if about is not None and inner is not None:
            read_facts[about[0].name] = _fact(inner, about, checked)
    ids = _texts(fields, "pci_ids")
    if any(not PCI_ID.fullmatch(text) for text in ids):
        fields.error("pci_ids", "out_of_range", "ids such as 10de:20b0")
    part: Plain = {"type": kind, "vendor": vendor, "model": model, "facts": read_facts}
    lists = {"names": _texts(fields, "names"), "pci_ids": ids, "notes": _texts(fields, "notes")}
    return part | {key: value for key, value in lists.items() if value}


def _about(fields: Fields, name: str, kind: str) -> tuple[Dimension, int] | None:
    try:
        return held_by(name, kind)
    except UnknownCapability:
        names = (*known_names(kind), *(known_names("memory") if kind == "cpu" else ()))
        fields.findings.unknown(fields.spot(name), "unknown_key", name, names)
        return None


def _fact(fields: Fields, about: tuple[Dimension, int], checked: str) -> Plain:
    """A value with where it comes from; null is a finding too: looked for and not found."""
    fields.only(FACT)
    quality = fields.choice("quality", QUALITIES, "")
    if not quality and fields.scalar("quality") is None:
        fields.error("quality", "missing", f"one of {', '.join(QUALITIES)}")
    if not fields.text("source"):
        fields.error("source", "missing", "where the value was seen")
    date, value = _date(fields, "date", checked), fields.scalar("value")
    if not date:
        fields.error("date", "missing", "the day it was checked, here or as `checked` of the file")
    if (value is None) != (quality == "unknown"):
        fields.error("value", "contradiction", "null exactly when quality is unknown")
    told: Plain = {"quality": quality, "source": fields.text("source"), "date": date, "how": fields.text("how")}
    unit = fields.text("unit")
    text = f"{value.text} {unit}" if value is not None and unit else value.text if value is not None else None
    return {"value": _value(fields, "value", text, about), **told}


def _value(fields: Fields, key: str, text: str | None, about: tuple[Dimension, int]) -> str | None:
    """The text as it may be kept, once its value has been checked."""
    dimension, scale = about
    if text is None or dimension.kind is Kind.SET or dimension.unit == "version":
        return text
    base = quantity(text, dimension, scale, fields.spot(key), fields.findings)
    if base is None or scale == 1:
        return None if base is None else text
    shown = dimension.show(base)  # an alias's unit is told again under the dimension's own name
    return shown if to_base(shown, dimension, 1) == base else str(base)


def _override(fields: Fields, known: Knowledge) -> Plain | None:
    """`{vendor, model, ipc_baseline: 1.82, memory_bandwidth_gbps: 420}`; the type is that of the known part."""
    vendor, model = _named(fields)
    keys = [key for key in fields.tree.items if key not in ("vendor", "model", "type", "reason")]
    kind = fields.choice("type", DEVICE_TYPES, "") or _kind_of(model, keys, known)
    if not kind:
        fields.error("type", "missing", "a type of device: no known part has this model")
        return None
    facts: dict[str, Plain] = {}
    for key in keys:
        about, value = _about(fields, key, kind), fields.scalar(key)
        if about is not None and value is None:
            fields.error(key, "wrong_type", "a value")
        elif about is not None and value is not None:
            facts[about[0].name] = {"value": _value(fields, key, value.text, about), "quality": "overridden"}
    if not keys:
        fields.error("model", "missing", "a value to override")
    return {"type": kind, "vendor": vendor, "model": model, "facts": facts, "reason": fields.text("reason")}


def _kind_of(model: str, keys: list[str], known: Knowledge) -> str:
    for part in known.parts:
        if part.model == model:
            return part.type
    fitting = [kind for kind in DEVICE_TYPES if all(_holds(kind, key) for key in keys)]
    return fitting[0] if len(fitting) == 1 and keys else ""


def _holds(kind: str, key: str) -> bool:
    return key in known_names(kind) or (kind == "cpu" and key.startswith("memory_bandwidth"))


def _texts(fields: Fields, key: str) -> list[str]:
    value = fields.tree.items.get(key)
    if value is None:
        return []
    if not isinstance(value, Sequence) or not all(isinstance(item, Scalar) and item.text for item in value.items):
        fields.error(key, "wrong_type", "a list of texts")
        return []
    return [item.text for item in value.items if isinstance(item, Scalar)]


def _date(fields: Fields, key: str, default: str) -> str:
    text = fields.text(key, default)
    if text and not DATE.fullmatch(text):
        fields.error(key, "wrong_type", "a date such as 2026-11-29")
    return text


def as_facts(part: Mapping[str, object]) -> Mapping[str, Mapping[str, object]]:
    """The facts of an entry."""
    facts = part["facts"]
    assert isinstance(facts, dict)
    return facts
