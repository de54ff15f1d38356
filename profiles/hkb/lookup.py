"""What is generally known about a part with this PCI id or product name?

The data files carry each value with its unit, grade, source and date. A part nobody listed is
unknown (None): nothing is guessed from a similar name. Overrides win over published values;
what may be said of unknown parts is in estimate.py.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from profiles.hkb.parts import Fact, Part
from profiles.hkb.reading import read_fact, read_part

__all__ = ["Fact", "Knowledge", "Part", "read_fact", "read_part"]

DATA = Path(__file__).parent / "data"
PART_FILES = ("cpus", "gpus", "storage")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAKERS = "nvidia|amd|intel|samsung|micron|solidigm|tesla|geforce|instinct|cpu|processor|corporation"
_NOISE = re.compile(rf"\((r|tm)\)|@.*$|\bmig\b.*$|\b\d+-core\b|\b({_MAKERS})\b")
_REVISION = re.compile(r"-[0-9a-z]{5,6}$")  # MZQL21T9HCJR-00A07: the letters after the dash name a batch
MEMORY_SLACK = 0.1  # a driver reports a little less than the card's nominal size


@dataclass(frozen=True)
class Knowledge:
    """All known parts; `version` changes whenever an answer may change."""

    version: str
    parts: tuple[Part, ...]
    index: Mapping[tuple[str, str], Part] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = {(part.type, normal(name)): part for part in self.parts for name in (part.model, *part.names)}
        object.__setattr__(self, "index", index)

    def find(self, kind: str, product: str | None, pci_id: str | None = None, memory: int | None = None) -> Part | None:
        """The part of this type: by name, else by PCI id, else by a name that its memory size completes."""
        return self._named(kind, product) or self._by_id(kind, pci_id) or self._by_memory(kind, product, memory)

    def _named(self, kind: str, product: str | None) -> Part | None:
        if not product:
            return None
        plain = normal(product)
        found = self.index.get((kind, plain))
        return found if found or kind != "storage" else self.index.get((kind, _REVISION.sub("", plain)))

    def _by_id(self, kind: str, pci_id: str | None) -> Part | None:
        """An id that several products share names none of them."""
        found = [part for part in self.parts if part.type == kind and pci_id and pci_id.lower() in part.pci_ids]
        return found[0] if len(found) == 1 else None

    def _by_memory(self, kind: str, product: str | None, memory: int | None) -> Part | None:
        if not product or not memory:
            return None
        stem = f"{normal(product)}-"
        sized = ((part, part.number("gpu_memory_bytes")) for part in self.parts if part.model.startswith(stem))
        found = [p for p, size in sized if p.type == kind and size and abs(memory - size) <= size * MEMORY_SLACK]
        return found[0] if len(found) == 1 else None

    @cached_property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """Dimension -> smallest and largest value of any known part."""
        found: dict[str, tuple[float, float]] = {}
        for part in self.parts:
            for name, fact in part.facts.items():
                if fact.number:
                    low, high = found.get(name, (fact.number, fact.number))
                    found[name] = min(low, fact.number), max(high, fact.number)
        return found

    def with_parts(self, version: str, added: Iterable[Part]) -> "Knowledge":
        """The same knowledge with later facts on top, part by part and fact by fact."""
        known = {(part.type, part.model): part for part in self.parts}
        for part in added:
            base = known.get((part.type, part.model), replace(part, facts={}, details={}))
            known[part.type, part.model] = replace(
                base,
                names=tuple(dict.fromkeys((*base.names, *part.names))),
                pci_ids=tuple(dict.fromkeys((*base.pci_ids, *part.pci_ids))),
                facts={**base.facts, **part.facts},
                details={**base.details, **part.details},
                notes=tuple(dict.fromkeys((*base.notes, *part.notes))),
            )
        return Knowledge(version, tuple(known.values()))

    def overridden(self, overrides: Iterable[Part]) -> "Knowledge":
        """The same knowledge with an operator's values on top."""
        return self.with_parts(f"{self.version}+overrides", overrides)


def normal(product: str) -> str:
    """What two spellings of one product have in common: "NVIDIA A100-SXM4-40GB" -> "a100-sxm4-40gb"."""
    plain = _NOISE.sub(" ", product.casefold().replace("_", " "))
    return re.sub(r"[^a-z0-9+.]+", "-", plain).strip("-")


@cache
def published() -> Knowledge:
    """The knowledge that ships with this release."""
    files = [_file(name) for name in PART_FILES]
    parts = tuple(read_part(entry, str(file["checked"])) for file in files for entry in file["parts"])
    return Knowledge(max(str(file["checked"]) for file in files), parts)


@cache
def link_facts() -> Mapping[tuple[str, str], Mapping[str, Fact]]:
    """(family, generation) -> what such a link carries: ("pcie", "gen4") -> {per_lane: 1.9692 GB/s, ...}."""
    file = _file("links")
    return {(link["family"], link["name"]): _link(link["facts"], str(file["checked"])) for link in file["links"]}


def _link(facts: Mapping[str, Any], checked: str) -> dict[str, Fact]:
    return {
        name: Fact(fact["value"], fact["quality"], fact["source"], checked, fact.get("how", ""), fact.get("unit", ""))
        for name, fact in facts.items()
    }


def _file(name: str) -> Any:
    return yaml.load((DATA / f"{name}.yaml").read_text(encoding="utf-8"), Loader=_Loader)
