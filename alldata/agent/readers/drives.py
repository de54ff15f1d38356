"""Which drives do `nvme list -o json` and `lsblk -J` show?

nvme-cli lists flat or nested by version, invents path devices (nvme0c0n1) and once printed sizes that had wrapped round
to negative numbers: those are unknown, the kernel's own size is to be asked.
"""

import re
from collections.abc import Iterator
from typing import Any

from alldata.agent.readers.document import Document, json_of
from alldata.agent.readers.quantities import bytes_of, told
from alldata.agent.readers.records import Drive, Facts, Host, Reading

_PATH = re.compile(r"nvme\d+c\d+n\d+")
_NAMESPACE = re.compile(r"nvme\d+n\d+")


def recognises(document: Document) -> bool:
    head = document.text[:4096]
    return head.lstrip().startswith("{") and re.match(r'\s*\{\s*"(Devices|blockdevices)"', head) is not None


def read(document: Document) -> Reading:
    plain, fault = json_of(document)
    if fault:
        return Reading("nvme", complaints=(fault,))
    return _read_lsblk(plain["blockdevices"]) if "blockdevices" in plain else _read_nvme(plain["Devices"])


def _read_nvme(entries: Any) -> Reading:
    listed = list(_namespaces(entries, {}))
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


def _read_lsblk(entries: Any) -> Reading:
    drives = {drive.name: drive for drive in _disks(entries)}
    nvme = [name for name in drives if _NAMESPACE.fullmatch(name)]
    facts: Facts = {"disks": len(drives), "nvme_disks": len(nvme)}
    return Reading("lsblk", (Host(drives=tuple(drives.values())),), facts)


def _disks(entries: Any) -> Iterator[Drive]:
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict):
            continue
        if entry.get("type") == "disk" and not _PATH.fullmatch(str(entry.get("name"))):
            size = entry.get("size")
            rotational = entry.get("rota")
            yield Drive(
                name=str(entry.get("name")).removeprefix("/dev/"),
                model=told(str(entry.get("model") or "")),
                size_bytes=size if isinstance(size, int) else bytes_of(str(size)),
                attributes={"rotational": rotational} if isinstance(rotational, bool) else {},
            )
        yield from _disks(entry.get("children"))
