"""Which cards, drives and network adapters does hwloc's XML show below its PCI bridges?"""

import re
from xml.etree.ElementTree import Element

from alldata.agent.readers.records import Accelerator, Adapter, Drive

_VENDORS = {"10de": "NVIDIA", "1002": "AMD", "19e5": "Huawei"}
#: OS device types: bits since version 3, numbers before.
_STORAGE, _NETWORK = {"3": 1, "2": 0, "1": 0}, {"3": 16, "2": 2, "1": 2}


def objects(root: Element, *kinds: str) -> list[Element]:
    return [node for node in root.iter("object") if node.get("type") in kinds]


def _kind(table: dict[str, int], version: str) -> int:
    """How this version numbers a kind of device; later versions are taken to number as the last one known."""
    return table.get(version[:1], table["3"])


def info(node: Element, name: str) -> str | None:
    infos = (info.get("value") for info in node.iter("info") if info.get("name") == name)
    return next((" ".join(value.split()) for value in infos if value), None)


def accelerators(root: Element) -> tuple[Accelerator, ...]:
    """Display and 3D controllers of vendors that make accelerators."""
    found: list[Accelerator] = []
    for node in objects(root, "PCIDev"):
        match = re.match(r"(03\d\d|12\d\d)(?: \([^)]*\))? \[([0-9a-f]{4}):([0-9a-f]{4})\]", node.get("pci_type", ""))
        if match and match[2] in _VENDORS:
            model = info(node, "PCIDevice") or f"PCI {match[2]}:{match[3]}"
            found.append(Accelerator(len(found), model=model, vendor=_VENDORS[match[2]], bus=node.get("pci_busid")))
    return tuple(found)


def _os_devices(root: Element, kind: int, version: str) -> list[Element]:
    """Devices of one type that hang below a PCI device: no loop devices, no bridges."""
    found = []
    for card in objects(root, "PCIDev"):
        for node in card.findall("object"):
            number = int(node.get("osdev_type", "-1"))
            matches = number == kind if version.startswith(("1", "2")) else bool(number & kind)
            if node.get("type") == "OSDev" and matches and number >= 0:
                found.append(node)
    return found


def _drive(node: Element) -> Drive:
    size = info(node, "Size")  # in KiB
    return Drive(
        name=node.get("name", ""),
        model=info(node, "Model"),
        size_bytes=int(size) * 1024 if size and size.isdecimal() else None,
    )


def drives(root: Element, version: str) -> tuple[Drive, ...]:
    return tuple(_drive(node) for node in _os_devices(root, _kind(_STORAGE, version), version))


def adapters(root: Element, version: str) -> tuple[Adapter, ...]:
    return tuple(Adapter(node.get("name", "")) for node in _os_devices(root, _kind(_NETWORK, version), version))
