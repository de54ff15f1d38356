"""Which AMD cards are joined, and on which NUMA nodes are they? From the tables that rocm-smi prints."""

import re

from alldata.agent.readers.document import Document
from alldata.agent.readers.records import Accelerator, Facts, Host, Pair, Reading

_NUMA = re.compile(r"^GPU\[(\d+)\]\s*: \(Topology\) Numa Node: (-?\d+)", re.MULTILINE)
_ROW = re.compile(r"^GPU(\d+)((?:\s+(?:XGMI|PCIE|N/A|0|\d+))+)\s*$", re.MULTILINE)


def read(document: Document) -> Reading:
    nodes = {int(index): int(node) for index, node in _NUMA.findall(document.text)}
    rows = {int(name): cells.split() for name, cells in _ROW.findall(document.text)}
    indices = sorted(nodes.keys() | rows.keys())
    cards = tuple(Accelerator(i, vendor="AMD", numa_node=n if (n := nodes.get(i, -1)) >= 0 else None) for i in indices)
    joined = [(a, b) for a, cells in rows.items() for b, cell in enumerate(cells) if a < b and cell == "XGMI"]
    pairs = tuple(Pair("xgmi", a, b) for a, b in joined)
    return Reading("topo", (Host(accelerators=cards, pairs=pairs),), _facts(cards, rows))


def _facts(cards: tuple[Accelerator, ...], rows: dict[int, list[str]]) -> Facts:
    kinds = sorted({cell for a, cells in rows.items() for b, cell in enumerate(cells) if a != b})
    return {
        "gpus": len(cards),
        "gpu_numa": [card.numa_node for card in cards],
        "link": kinds[0] if len(kinds) == 1 else kinds,
    }
