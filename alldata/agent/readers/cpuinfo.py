"""What does /proc/cpuinfo say? x86 gives a model name; ARM only numbers of maker and part; POWER its own words.

`cpu MHz` is the speed at this moment and is not read; the base speed stands in some model names.
"""

import re

from alldata.agent.readers.document import Document
from alldata.agent.readers.quantities import whole
from alldata.agent.readers.records import Facts, Host, Processor, Reading

KIND = "cpuinfo"
_ARM_PARTS = {
    ("0x41", "0xd03"): "Cortex-A53",
    ("0x41", "0xd07"): "Cortex-A57",
    ("0x41", "0xd08"): "Cortex-A72",
    ("0x41", "0xd0c"): "Neoverse-N1",
    ("0x41", "0xd40"): "Neoverse-V1",
    ("0x41", "0xd49"): "Neoverse-N2",
    ("0x41", "0xd4f"): "Neoverse-V2",
    ("0x41", "0xd84"): "Neoverse-V3",
    ("0x41", "0xd8e"): "Neoverse-N3",
    ("0x43", "0x0a1"): "ThunderX",
    ("0x43", "0x0af"): "ThunderX2",
    ("0x46", "0x001"): "A64FX",
    ("0x48", "0xd01"): "TSV110",
    ("0xc0", "0xac3"): "Ampere-1",
    ("0xc0", "0xac4"): "Ampere-1a",
}
_MAKERS = {"0x41": "ARM", "0x43": "Cavium", "0x46": "Fujitsu", "0x48": "HiSilicon", "0x4e": "NVIDIA", "0xc0": "Ampere"}


def recognises(document: Document) -> bool:
    return re.search(r"^processor\s*:\s*\d+", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    records = _records(document)
    first = records[0] if records else {}
    implementer, part = first.get("CPU implementer"), first.get("CPU part")
    core = _ARM_PARTS.get((implementer or "", part or ""))
    model = first.get("model name") or first.get("cpu")
    packages = {record["physical id"] for record in records if "physical id" in record}
    cores = whole(first.get("cpu cores"))
    processor = Processor(
        model=model or core,
        vendor=first.get("vendor_id") or _MAKERS.get(implementer or ""),
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
    flags = first.get("flags", "").split()
    return ("x86_64" if "lm" in flags else "i686") if "vendor_id" in first else None
