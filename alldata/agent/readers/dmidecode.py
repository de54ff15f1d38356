"""Which memory modules does `dmidecode -t 17` list, and at which speed do they really run?"""

import re

from alldata.agent.readers.document import Document
from alldata.agent.readers.quantities import binary_bytes, told, whole
from alldata.agent.readers.records import Facts, Host, Reading

KIND = "dmidecode"


def recognises(document: Document) -> bool:
    return re.search(r"^\s*Memory Device\s*$", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    modules = [module for module in _modules(document) if binary_bytes(module.get("Size"))]
    facts = _facts(modules)
    attributes = {f"memory_{name}": value for name, value in facts.items() if isinstance(value, int | str)}
    return Reading(KIND, (Host(memory_bytes=facts["total_bytes"], attributes=attributes),), facts)


def _modules(document: Document) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    inside = False
    for line in document.lines:
        if not line.startswith(("\t", "  ")):
            inside = line.strip() == "Memory Device"
            found += [{}] if inside else []
        elif inside:
            name, _, value = line.strip().partition(":")
            found[-1].setdefault(name, value.strip())
    return found


def _facts(modules: list[dict[str, str]]) -> Facts:
    """The configured speed is what runs; the rated one is what was bought."""
    speeds = [whole(m.get("Configured Memory Speed") or m.get("Configured Clock Speed")) for m in modules]
    known = [speed for speed in speeds if speed]
    types = sorted({kind for module in modules if (kind := told(module.get("Type")))})
    return {
        "modules": len(modules),
        "total_bytes": sum(binary_bytes(module["Size"]) or 0 for module in modules) or None,
        "speed_mts": min(known) if known else None,
        "type": types[0] if len(types) == 1 else types,
    }
