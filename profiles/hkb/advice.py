"""What does somebody who knows hardware remark on a document? Warnings only, with the figures.

The language (profiles/rcdl) names no product; it asks an advisor, and this is ours: described parts
that disagree with what is known of them, constraints that no known part of the wanted model
meets, and parts that cannot stand in one machine.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from profiles.dimensions import BY_NAME, closest
from profiles.hkb.lookup import Knowledge
from profiles.hkb.parts import Part as Known
from profiles.rcdl.advisor import Advice
from profiles.rcdl.document import Part, Resource, Rule, Value

TOLERANCE = 0.1
GENERATION = re.compile(r"([3-7])\.0 x\d+")
MOST_MODELS = 20  # of a list of models: more than that nobody checks by eye either
_MAKERS = {"intel": "intel", "xeon": "intel", "amd": "amd", "epyc": "amd", "nvidia": "nvidia", "grace": "nvidia"}
_COMPARED = ("sm_count", "hbm_bandwidth", "nvlink_bandwidth", "gpu_memory_bytes", "storage_iops", "storage_bandwidth")


class HardwareAdvisor:
    """Remarks out of one state of the knowledge base."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        return self.known.ranges

    def of_part(self, part: Part) -> Iterator[Advice]:
        """A described value that is far from what such a part has, and the part that does have it."""
        known = self.known.find(part.type, part.model)
        for name in _COMPARED if known else ():
            told, fact = part.attributes.get(name), known.number(name) if known else None
            if isinstance(told, int | float) and fact and abs(told - fact) > fact * TOLERANCE:
                shown = BY_NAME[name].show(fact)
                yield Advice(name, "disagrees", f"{shown} for a {part.model}", BY_NAME[name].show(told),
                             self._who_has(part.type, name, told))  # fmt: skip

    def _who_has(self, kind: str, name: str, value: float) -> str | None:
        others = (part for part in self.known.parts if part.type == kind)
        found = [part.model for part in others if part.number(name) == value]
        return f"that is a {found[0]}" if found else None

    def of_resource(self, resource: Resource) -> Iterator[Advice]:
        """A model that is known under another name, and a rule that every wanted model fails."""
        models = [part for name in _models(resource) if (part := self.known.find(resource.type, name))]
        yield from self._misnamed(resource)
        if not models or len(models) < len(_models(resource)):
            return
        for rule in resource.rules:
            have = [_fact(part, rule.attribute) for part in models]
            if rule.attribute != "model" and all(value is not None and not _holds(rule, value) for value in have):
                shown = ", ".join(
                    f"{p.model} has {_show(rule.attribute, v)}" for p, v in zip(models, have, strict=True)
                )
                expected = "constraints that the wanted model meets"
                yield Advice(rule.attribute, "contradiction", expected, shown, "this would never be placed")

    def _misnamed(self, resource: Resource) -> Iterator[Advice]:
        """Constraints compare with our key of a model; unknown models may well exist, misspelt ones do not."""
        keys = [part.model for part in self.known.parts if part.type == resource.type]
        for name in _models(resource):
            part = self.known.find(resource.type, name)
            near = part.model if part else closest(name, keys, least=0.8)
            if near and near != name.casefold():
                yield Advice("model", "unknown_part", "the key of a known part", name, f"did you mean {near}?")

    def of_parts(self, parts: Sequence[Part]) -> Iterator[tuple[int, Advice]]:
        """Memory that the processors beside it cannot drive, cards above what the slots can do."""
        processors = [part for part in parts if part.type == "cpu"]
        if not processors:
            return
        makers = {_maker(part) for part in processors}
        slots = [generation for part in processors if (generation := self._generation(part))]
        for index, part in enumerate(parts):
            if _is_optane_memory(part) and "intel" not in makers:
                expected = "an Intel processor, the only ones that drive Optane memory"
                yield index, Advice("model", "cannot_coexist", expected, ", ".join(sorted(makers)))
            card = self._generation(part) if part.type in ("gpu", "storage") else None
            if slots and card and card > max(slots):
                told = f"PCIe {card}.0 card on processors with PCIe {max(slots)}.0"
                yield index, Advice("model", "disagrees", f"links that train at PCIe {max(slots)}.0", told)

    def _generation(self, part: Part) -> int | None:
        known = self.known.find(part.type, part.model)
        if known is None:
            return None
        fact = known.facts.get("pcie_bandwidth")
        text = fact.how if fact else known.detail("pcie")
        found = GENERATION.search(text)
        return int(found[1]) if found else None


def _models(resource: Resource) -> tuple[str, ...]:
    for rule in resource.rules:
        if rule.attribute == "model" and rule.op in ("eq", "in"):
            return tuple(map(str, rule.value if isinstance(rule.value, tuple) else (rule.value,)))[:MOST_MODELS]
    return ()


def _maker(part: Part) -> str:
    text = f"{part.vendor} {part.model}".casefold()
    return next((maker for word, maker in _MAKERS.items() if word in text), "other")


def _is_optane_memory(part: Part) -> bool:
    return part.type == "memory" and bool(re.search(r"optane|pmem", f"{part.name} {part.model}".casefold()))


def _fact(part: Known, name: str) -> Value | None:
    if name == "vendor":
        return part.vendor
    fact = part.facts.get(name)
    return fact.value if fact else None


def _show(name: str, value: Value | None) -> str:
    dimension = BY_NAME[name]
    return f"{dimension.title} {dimension.show(value) if isinstance(value, int | float) else value}"


def _holds(rule: Rule, have: Value) -> bool:
    wanted: Iterable[Value] = rule.value if isinstance(rule.value, tuple) else (rule.value,)
    if rule.op in ("eq", "in"):
        return any(str(option).casefold() == str(have).casefold() for option in wanted)
    if rule.op == "version_min":
        return all(version(have) >= version(least) for least in wanted)
    if rule.op in ("min", "max") and isinstance(have, int | float):
        limits = [limit for limit in wanted if isinstance(limit, int | float)]
        return all(have >= limit if rule.op == "min" else have <= limit for limit in limits)
    return True


def version(value: Value) -> tuple[int, ...]:
    """Comparable parts: "510.47.03" -> (510, 47, 3)."""
    return tuple(int(part) for part in re.findall(r"\d+", str(value)))
