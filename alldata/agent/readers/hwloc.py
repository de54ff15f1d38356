"""What does hwloc's XML (`lstopo --of xml`) say? Versions 1 to 3 name and number things differently."""

from xml.etree.ElementTree import Element

from alldata.agent.probe.tree import parse_mask
from alldata.agent.readers import hwloc_devices
from alldata.agent.readers.document import Document, xml_of
from alldata.agent.readers.records import Cell, Facts, Host, Processor, Reading

KIND = "hwloc_xml"
GIB = 1 << 30
#: OS device types: bits since version 3, numbers before.
_COPROCESSOR_BIT, _COPROCESSOR = 8, 5


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
        cores=len(hwloc_devices.objects(root, "PU")) or None,
        cells=tuple(_cell(root, node) for node in hwloc_devices.objects(root, "NUMANode")),
        accelerators=hwloc_devices.accelerators(root),
        drives=hwloc_devices.drives(root, version),
        adapters=hwloc_devices.adapters(root, version),
    )
    return Reading(KIND, (host,), _facts(root, version), complaints)


def _facts(root: Element, version: str) -> Facts:
    nodes = hwloc_devices.objects(root, "NUMANode")
    memory = [int(node.get("local_memory", "0")) for node in nodes]
    devices = hwloc_devices.objects(root, "OSDev")
    return {
        "hwloc_xml_version": version,
        "packages": len(hwloc_devices.objects(root, "Package", "Socket")),
        "numa": len(nodes),
        "cores": len(hwloc_devices.objects(root, "Core")),
        "pus": len(hwloc_devices.objects(root, "PU")),
        "memoryless_numa": memory.count(0),
        "cpuless_numa": sum(not parse_mask(_mask(node.get("cpuset"))) for node in nodes),
        "numa_gib": [round(size / GIB, 1) for size in memory],
        "pci": len(hwloc_devices.objects(root, "PCIDev")),
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
    packages = hwloc_devices.objects(root, "Package", "Socket")
    if not packages:
        return None
    return Processor(
        model=hwloc_devices.info(packages[0], "CPUModel") or hwloc_devices.info(root, "CPUModel"),
        vendor=hwloc_devices.info(packages[0], "CPUVendor") or hwloc_devices.info(root, "CPUVendor"),
        sockets=len(packages),
        cores=len(hwloc_devices.objects(root, "Core")) or None,
        threads=len(hwloc_devices.objects(root, "PU")) or None,
    )


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
