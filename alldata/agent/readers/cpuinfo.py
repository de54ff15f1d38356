"""What does /proc/cpuinfo say? x86 gives a model name; ARM only numbers of maker and part; POWER its own words.

`cpu MHz` is the speed at this moment and is not read; the base speed stands in some model names.
"""

import re

from alldata.agent.readers.arm_cores import ARM_CORES, ARM_MAKERS
from alldata.agent.readers.document import Document
from alldata.agent.readers.quantities import whole
from alldata.agent.readers.records import Facts, Host, Processor, Reading

KIND = "cpuinfo"


def recognises(document: Document) -> bool:
    return re.search(r"^processor\s*:\s*\d+", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    records = _records(document)
    first = records[0] if records else {}
    implementer, part = first.get("CPU implementer"), first.get("CPU part")
    core = ARM_CORES.get((implementer or "", part or ""))
    model = first.get("model name") or first.get("cpu")
    packages = {record["physical id"] for record in records if "physical id" in record}
    cores = whole(first.get("cpu cores"))
    processor = Processor(
        model=model or core,
        vendor=first.get("vendor_id") or ARM_MAKERS.get(implementer or ""),
        sockets=len(packages) or None,
        cores=cores * len(packages) if cores and packages else None,
    )
    facts = _facts(first, records) | {"implementer": implementer, "part": part, "core": core}
    return Reading(KIND, (Host(processor=processor),), facts)


def _records(document: Document) -> list[dict[str, str]]:
    """One per `processor` line; POWER puts the machine's own lines at the end."""
    records: list[dict[str, str]] = []
    for line in document.lines:
        name, colon, value = line.partition(":")
        if not colon:
            continue
        if name.strip() == "processor":
            records.append({})
        if records:
            records[-1].setdefault(name.strip(), value.strip())
    return records


def _facts(first: dict[str, str], records: list[dict[str, str]]) -> Facts:
    model = first.get("model name")
    base = re.search(r"@ ([\d.]+)GHz", model or "")
    siblings, cores = whole(first.get("siblings")), whole(first.get("cpu cores"))
    return {
        "records": len(records),
        "model": model,
        "vendor": first.get("vendor_id"),
        "arch": _architecture(first),
        "family": whole(first.get("cpu family")),
        "model_no": whole(first.get("model")),
        "base_ghz": float(base[1]) if base else None,
        "siblings": siblings,
        "cores": cores,
        "cores_per_socket": cores,
        "smt": siblings > cores if siblings and cores else None,
        "amx": "amx_tile" in first.get("flags", "").split(),
    }


def _architecture(first: dict[str, str]) -> str | None:
    if first.get("cpu", "").startswith("POWER"):
        return "ppc64le"
    if "CPU implementer" in first:
        return "aarch64" if first.get("CPU architecture", "8").startswith(("8", "AArch64")) else "arm"
    if "isa" in first:
        return "riscv64" if first["isa"].startswith("rv64") else "riscv32"
    flags = first.get("flags", "").split()
    return ("x86_64" if "lm" in flags else "i686") if "vendor_id" in first else None
