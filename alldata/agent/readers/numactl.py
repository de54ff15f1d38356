"""What does `numactl -H` say? Nodes without memory or CPUs count as nodes; no NUMA at all is no node."""

import re

from alldata.agent.readers.document import Document
from alldata.agent.readers.quantities import MIB
from alldata.agent.readers.records import Cell, Complaint, Facts, Host, Reading

KIND = "numactl"
_CPUS = re.compile(r"node (\d+) cpus:((?:\s+\d+)*)\s*")
_SIZE = re.compile(r"node (\d+) size: (\d+) MB\s*")
_ROW = re.compile(r"\s*(?:node dist )?(\d+):((?:\s+\d+)+)\s*")
_HEAD = re.compile(r"node((?:\s+\d+)+)\s*")
_NONE = "No NUMA available on this system"


def recognises(document: Document) -> bool:
    return re.search(rf"^(available: \d+ nodes|node \d+ cpus:|node dist \d+:|{_NONE})", document.text, re.M) is not None


def read(document: Document) -> Reading:
    cpus: dict[int, tuple[int, ...]] = {}
    sizes: dict[int, int] = {}
    rows: dict[int, list[int]] = {}
    heads: list[int] = []
    complaints: list[Complaint] = []
    for place, line in enumerate(document.lines, 1):
        if match := _CPUS.fullmatch(line):
            cpus[int(match[1])] = tuple(map(int, match[2].split()))
        elif match := _SIZE.fullmatch(line):
            sizes[int(match[1])] = int(match[2])
        elif match := _ROW.fullmatch(line):
            rows[int(match[1])] = list(map(int, match[2].split()))
        elif match := _HEAD.fullmatch(line):
            heads = list(map(int, match[1].split()))
        elif line.strip() and not re.match(rf"available:|node \d+ free:|node distances:|#|{_NONE}", line):
            complaints.append(document.complaint(place, f"not understood: {line.strip()[:60]}"))
    order = heads or sorted(rows)
    nodes = sorted(cpus.keys() | sizes.keys() | rows.keys())
    cells = tuple(_cell(node, cpus, sizes, dict(zip(order, rows.get(node, ()), strict=False))) for node in nodes)
    return Reading(KIND, (Host(cells=cells),), _facts(cells, rows, sizes), tuple(complaints))


def _cell(node: int, cpus: dict[int, tuple[int, ...]], sizes: dict[int, int], distances: dict[int, int]) -> Cell:
    memory = sizes.get(node)
    return Cell(node, cpus.get(node), None if memory is None else memory * MIB, distances)


def _facts(cells: tuple[Cell, ...], rows: dict[int, list[int]], sizes: dict[int, int]) -> Facts:
    return {
        "nodes": len(cells),
        "distance": [rows[node] for node in sorted(rows)],
        "distance_row0": rows.get(cells[0].node) if cells else None,
        "memory_mb": [sizes.get(cell.node) for cell in cells],
        "memoryless": [cell.node for cell in cells if cell.memory_bytes == 0],
        "cpuless": [cell.node for cell in cells if cell.cpus == ()],
        "nearest": {str(cell.node): _nearest(cell, cells) for cell in cells if len(cell.distances) > 1},
    }


def _nearest(cell: Cell, cells: tuple[Cell, ...]) -> int | None:
    """The closest other node that has CPUs, or may have."""
    others = {other.node for other in cells if other.node != cell.node and other.cpus != ()}
    near = [(distance, node) for node, distance in cell.distances.items() if node in others]
    return min(near)[1] if near else None
