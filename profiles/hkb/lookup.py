"""What is generally known about a part with this product name?

The data files carry each value with its unit, grade and source. A part nobody listed is
unknown (None): nothing is guessed from a similar name. Overrides win over published values.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import yaml

from profiles.dimensions import Kind, attribute, to_base

DATA = Path(__file__).parent / "data"
#: grade -> (source, quality) as shown beside the number
GRADES: Mapping[str, tuple[str, str]] = {
    "published": ("published", "proxy"),
    "derived": ("published", "estimated"),
    "recalled": ("estimated", "estimated"),
    "overridden": ("overridden", "proxy"),
}
_NOISE = re.compile(r"\((r|tm)\)|@.*$|\b(nvidia|amd|intel|cpu|processor|corporation)\b")


@dataclass(frozen=True, slots=True)
class Fact:
    """One value: an integer amount for additive dimensions, else as written."""

    value: int | float | str
    grade: str
    origin: str

    @property
    def source(self) -> str:
        return GRADES[self.grade][0]

    @property
    def quality(self) -> str:
        return GRADES[self.grade][1]


@dataclass(frozen=True, slots=True)
class Part:
    """A product and what is known of it, by dimension."""

    type: str
    vendor: str
    model: str
    names: tuple[str, ...]
    facts: Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All known parts; `version` changes whenever an answer may change."""

    version: str
    parts: tuple[Part, ...]
    index: Mapping[tuple[str, str], Part] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = {(part.type, normal(name)): part for part in self.parts for name in (part.model, *part.names)}
        object.__setattr__(self, "index", index)

    def find(self, kind: str, product: str | None) -> Part | None:
        """The part of this type with that product name or alias."""
        return self.index.get((kind, normal(product))) if product else None

    def overridden(self, overrides: Iterable[Part]) -> "Knowledge":
        """The same knowledge with an operator's values on top, part by part."""
        known = {(part.type, part.model): part for part in self.parts}
        for part in overrides:
            base = known.get((part.type, part.model), replace(part, facts={}))
            known[part.type, part.model] = replace(base, facts={**base.facts, **part.facts})
        return Knowledge(f"{self.version}+overrides", tuple(known.values()))


def normal(product: str) -> str:
    """What two spellings of one product have in common: "NVIDIA A100-SXM4-40GB" -> "a100-sxm4-40gb"."""
    plain = _NOISE.sub(" ", product.casefold())
    return re.sub(r"[^a-z0-9+.]+", "-", plain).strip("-")


@cache
def published() -> Knowledge:
    """The knowledge that ships with this release."""
    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(DATA.glob("*.yaml"))]
    parts = tuple(read_part(entry) for file in files for entry in file["parts"])
    return Knowledge(max(str(file["checked"]) for file in files), parts)


def read_part(entry: Mapping[str, object]) -> Part:
    """One entry of a data file (or of an upload). Errors: KeyError and the errors of `dimensions`."""
    facts, names = entry["facts"], entry.get("names", ())
    assert isinstance(facts, Mapping) and isinstance(names, list | tuple)
    kind = str(entry["type"])
    read = {name: read_fact(kind, str(name), fact) for name, fact in facts.items()}
    return Part(kind, str(entry["vendor"]), str(entry["model"]), tuple(map(str, names)), read)


def read_fact(kind: str, name: str, fact: Mapping[str, object]) -> Fact:
    """One value of a part, in base units where its dimension is additive."""
    # A socket's memory bandwidth is written on the CPU: that is how vendors publish it.
    holder = "memory" if name == "memory_bandwidth" else kind
    dimension, scale = attribute(name, holder)
    grade, origin = str(fact.get("grade", "overridden")), str(fact.get("source", "operator"))
    if dimension.kind is Kind.ADDITIVE:
        return Fact(to_base(fact["value"], dimension, scale), grade, origin)
    return Fact(_number(str(fact["value"]), dimension.unit), grade, origin)


def _number(text: str, unit: str) -> int | float | str:
    if unit in ("version", ""):
        return text
    return int(text) if text.isdecimal() else float(text)
