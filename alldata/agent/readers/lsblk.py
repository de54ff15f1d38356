"""Which disks does `lsblk -J` show? One that several volumes share counts once."""

import re
from collections.abc import Iterator
from typing import Any

from alldata.agent.probe.nvme import PSEUDO
from alldata.agent.readers.document import Document, json_of
from alldata.agent.readers.quantities import bytes_of, told
from alldata.agent.readers.records import Drive, Facts, Host, Reading

KIND = "lsblk"
_NAMESPACE = re.compile(r"nvme\d+n\d+")


def recognises(document: Document) -> bool:
    return re.match(r'\s*\{\s*"blockdevices"', document.text[:4096]) is not None


def read(document: Document) -> Reading:
    plain, fault = json_of(document)
    if fault:
        return Reading(KIND, complaints=(fault,))
    drives = {drive.name: drive for drive in _disks(plain["blockdevices"])}
    nvme = [name for name in drives if _NAMESPACE.fullmatch(name)]
    facts: Facts = {"disks": len(drives), "nvme_disks": len(nvme)}
    return Reading(KIND, (Host(drives=tuple(drives.values())),), facts)


def _disks(entries: Any) -> Iterator[Drive]:
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict):
            continue
        name = str(entry.get("name")).removeprefix("/dev/")
        if entry.get("type") == "disk" and not PSEUDO.fullmatch(name):
            size = entry.get("size")
            rotational = entry.get("rota")
            yield Drive(
                name=name,
                model=told(str(entry.get("model") or "")),
                size_bytes=size if isinstance(size, int) else bytes_of(str(size)),
                attributes={"rotational": rotational} if isinstance(rotational, bool) else {},
            )
        yield from _disks(entry.get("children"))
