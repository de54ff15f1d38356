"""What does hwloc's XML (`lstopo --of xml`) say? Versions 1 to 3 name and number things differently."""

import re
from xml.etree.ElementTree import Element

from alldata.agent.probe.tree import parse_mask
from alldata.agent.readers.document import Document, xml_of
from alldata.agent.readers.records import Accelerator, Adapter, Cell, Drive, Facts, Host, Processor, Reading

KIND = "hwloc_xml"
GIB = 1 << 30
_VENDORS = {"10de": "NVIDIA", "1002": "AMD", "19e5": "Huawei"}
#: OS device types: bits since version 3, numbers before.
_COPROCESSOR_BIT, _COPROCESSOR = 8, 5
_STORAGE, _NETWORK = {"3": 1, "2": 0, "1": 0}, {"3": 16, "2": 2, "1": 2}


def recognises(document: Document) -> bool:
    head = document.text[:2048]
    return "<topology" in head and ("hwloc" in head or '<object type="Machine"' in head)


def read(document: Document) -> Reading:
    root, complaints = xml_of(document)
    if root is None:
        return Reading(KIND, complaints=complaints)
    version = root.get("version", "1.0")
    host = Host(
        processor=_processor(root),
        cores=len(_objects(root, "PU")) or None,
        cells=tuple(_cell(root, node) for node in _objects(root, "NUMANode")),
        accelerators=_accelerators(root),
        drives=tuple(_drive(node) for node in _os_devices(root, _kind(_STORAGE, version), version)),
        adapters=tuple(Adapter(node.get("name", "")) for node in _os_devices(root, _kind(_NETWORK, version), version)),
    )
    return Reading(KIND, (host,), _facts(root, version), complaints)


def _objects(root: Element, *kinds: str) -> list[Element]:
    return [node for node in root.iter("object") if node.get("type") in kinds]


def _kind(table: dict[str, int], version: str) -> int:
    """How this version numbers a kind of device; later versions are taken to number as the last one known."""
    return table.get(version[:1], table["3"])


def _facts(root: Element, version: str) -> Facts:
    nodes = _objects(root, "NUMANode")
    memory = [int(node.get("local_memory", "0")) for node in nodes]
    devices = _objects(root, "OSDev")
    return {
        "hwloc_xml_version": version,
        "packages": len(_objects(root, "Package", "Socket")),
        "numa": len(nodes),
        "cores": len(_objects(root, "Core")),
        "pus": len(_objects(root, "PU")),
        "memoryless_numa": memory.count(0),
        "cpuless_numa": sum(not parse_mask(_mask(node.get("cpuset"))) for node in nodes),
        "numa_gib": [round(size / GIB, 1) for size in memory],
        "pci": len(_objects(root, "PCIDev")),
        "osdevs": sorted(node.get("name", "") for node in devices if not _computes(node, version)),
        "coproc": sorted(node.get("name", "") for node in devices if _computes(node, version)),
        "distances": sum(len(root.findall(f".//{tag}")) for tag in ("distances2", "distances2hetero", "distances")),
        "memattrs": [node.get("name") for node in root.iter("memattr")],
    }


def _computes(node: Element, version: str) -> bool:
    kind = int(node.get("osdev_type", "0"))
    if not version.startswith(("1", "2")):
        return bool(kind & _COPROCESSOR_BIT)
    return kind == _COPROCESSOR or (kind == 1 and node.get("subtype") in ("NVML", "RSMI", "LevelZero"))


def _mask(text: str | None) -> str:
    """hwloc's `0x0000000f,,0x1` as the kernel writes masks: empty groups are zeros."""
    parts = (text or "").split(",")
    return ",".join((part.removeprefix("0x") or "0").zfill(8) for part in parts if not part.startswith("0xf...f"))


def _processor(root: Element) -> Processor | None:
    packages = _objects(root, "Package", "Socket")
    if not packages:
        return None
    return Processor(
        model=_info(packages[0], "CPUModel") or _info(root, "CPUModel"),
        vendor=_info(packages[0], "CPUVendor") or _info(root, "CPUVendor"),
        sockets=len(packages),
        cores=len(_objects(root, "Core")) or None,
        threads=len(_objects(root, "PU")) or None,
    )


def _info(node: Element, name: str) -> str | None:
    infos = (info.get("value") for info in node.iter("info") if info.get("name") == name)
    return next((" ".join(value.split()) for value in infos if value), None)


def _cell(root: Element, node: Element) -> Cell:
    number = int(node.get("os_index", "0"))
    return Cell(
        node=number,
        cpus=parse_mask(_mask(node.get("cpuset"))),
        memory_bytes=int(node.get("local_memory", "0")),
        distances=_distances(root, number),
    )


def _distances(root: Element, number: int) -> dict[int, int]:
    for table in root.findall("distances2"):
        if table.get("type") != "NUMANode" or table.get("name", "NUMALatency") != "NUMALatency":
            continue
        nodes = [int(cell) for part in table.findall("indexes") for cell in (part.text or "").split()]
        values = [int(cell) for part in table.findall("u64values") for cell in (part.text or "").split()]
        if number in nodes and len(values) == len(nodes) ** 2:
            start = nodes.index(number) * len(nodes)
            return dict(zip(nodes, values[start : start + len(nodes)], strict=True))
    return {}


def _accelerators(root: Element) -> tuple[Accelerator, ...]:
    """Display and 3D controllers of vendors that make accelerators."""
    found: list[Accelerator] = []
    for node in _objects(root, "PCIDev"):
        match = re.match(r"(03\d\d|12\d\d)(?: \([^)]*\))? \[([0-9a-f]{4}):([0-9a-f]{4})\]", node.get("pci_type", ""))
        if match and match[2] in _VENDORS:
            model = _info(node, "PCIDevice") or f"PCI {match[2]}:{match[3]}"
            found.append(Accelerator(len(found), model=model, vendor=_VENDORS[match[2]], bus=node.get("pci_busid")))
    return tuple(found)


def _os_devices(root: Element, kind: int, version: str) -> list[Element]:
    """Devices of one type that hang below a PCI device: no loop devices, no bridges."""
    found = []
    for card in _objects(root, "PCIDev"):
        for node in card.findall("object"):
            number = int(node.get("osdev_type", "-1"))
            matches = number == kind if version.startswith(("1", "2")) else bool(number & kind)
            if node.get("type") == "OSDev" and matches and number >= 0:
                found.append(node)
    return found


def _drive(node: Element) -> Drive:
    size = _info(node, "Size")  # in KiB
    return Drive(
        name=node.get("name", ""),
        model=_info(node, "Model"),
        size_bytes=int(size) * 1024 if size and size.isdecimal() else None,
    )
