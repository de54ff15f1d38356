"""Which drives does `nvme list -o json` show?

nvme-cli lists flat or nested by version, invents path devices (nvme0c0n1) and once printed sizes that had wrapped round
to negative numbers: those are unknown, the kernel's own size is to be asked.
"""

import re
from collections.abc import Iterator
from typing import Any

from alldata.agent.readers.document import Document, json_of
from alldata.agent.readers.quantities import told
from alldata.agent.readers.records import Drive, Host, Reading

_PATH = re.compile(r"nvme\d+c\d+n\d+")


def recognises(document: Document) -> bool:
    head = document.text[:4096]
    return head.lstrip().startswith("{") and re.match(r'\s*\{\s*"Devices"', head) is not None


def read(document: Document) -> Reading:
    plain, fault = json_of(document)
    if fault:
        return Reading("nvme", complaints=(fault,))
    listed = list(_namespaces(plain["Devices"], {}))
    drives = tuple(drive for drive in listed if not _PATH.fullmatch(drive.name))
    facts = {
        "devices": len(drives),
        "skip": [drive.name for drive in listed if _PATH.fullmatch(drive.name)],
        "size_bytes": drives[0].size_bytes if drives else None,
        "model": drives[0].model if drives else None,
        "pci": [drive.bus for drive in drives],
    }
    return Reading("nvme", (Host(drives=drives),), facts)


def _namespaces(entries: Any, above: dict[str, Any]) -> Iterator[Drive]:
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict):
            continue
        known = {**above, **{name: value for name, value in entry.items() if not isinstance(value, list)}}
        below = [value for name, value in entry.items() if name in ("Subsystems", "Controllers", "Namespaces")]
        if below:
            for part in below:
                yield from _namespaces(part, known)
        elif "DevicePath" in known or isinstance(known.get("NameSpace"), str):
            yield _drive(known)


def _drive(known: dict[str, Any]) -> Drive:
    name = str(known.get("DevicePath") or known.get("NameSpace")).removeprefix("/dev/")
    size = known.get("PhysicalSize")
    firmware = told(str(known.get("Firmware") or ""))
    return Drive(
        name=name,
        model=told(str(known.get("ModelNumber") or "")),
        size_bytes=size if isinstance(size, int) and size > 0 else None,
        bus=told(str(known.get("Address") or "")),
        attributes={"interface": "nvme"} | ({"firmware": firmware} if firmware else {}),
    )
