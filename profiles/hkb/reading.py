"""Data files -> parts and links. Uploads are validated before (upload.py); this trusts its input."""

from collections.abc import Mapping
from typing import Any

from profiles.dimensions import Dimension, Kind, attribute, to_base, to_limit
from profiles.hkb.parts import Fact, Part

Entry = Mapping[str, Any]


def read_part(entry: Entry, checked: str = "") -> Part:
    """One entry of a data file. Errors: KeyError and the errors of `dimensions`."""
    kind = str(entry["type"])
    return Part(
        type=kind,
        vendor=str(entry["vendor"]),
        model=str(entry["model"]),
        names=tuple(map(str, entry.get("names", ()))),
        facts={name: read_fact(kind, name, fact, checked) for name, fact in entry.get("facts", {}).items()},
        pci_ids=tuple(map(str, entry.get("pci_ids", ()))),
        details={name: _as_written(fact, checked) for name, fact in entry.get("details", {}).items()},
        notes=tuple(map(str, entry.get("notes", ()))),
    )


def read_fact(kind: str, name: str, fact: Entry, checked: str = "") -> Fact:
    """One value of a part, in base units where its dimension is additive."""
    dimension, scale = held_by(name, kind)
    if fact["value"] is None:
        return _as_written(fact, checked)
    unit = fact.get("unit")
    text = f"{fact['value']} {unit}" if unit else fact["value"]
    return Fact(_value(text, dimension, scale), *_told(fact, checked))


def held_by(name: str, kind: str) -> tuple[Dimension, int]:
    """A socket's memory bandwidth is written on the CPU: that is how vendors publish it."""
    holder = "memory" if kind == "cpu" and name.startswith("memory_bandwidth") else kind
    return attribute(name, holder)


def _value(text: object, dimension: Dimension, scale: int) -> int | float | str:
    if dimension.kind is Kind.ADDITIVE:
        return to_base(text, dimension, scale)
    if dimension.kind is Kind.SET or dimension.unit == "version":
        return str(text)
    return to_limit(text, dimension, scale)


def _as_written(fact: Entry, checked: str) -> Fact:
    return Fact(fact["value"], *_told(fact, checked))


def _told(fact: Entry, checked: str) -> tuple[str, str, str, str]:
    grade = str(fact.get("quality", fact.get("grade", "overridden")))
    return grade, str(fact.get("source", "operator")), str(fact.get("date", checked)), str(fact.get("how", ""))
