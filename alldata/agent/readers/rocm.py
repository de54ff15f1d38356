"""What does rocm-smi say: its JSON, or its tables of links and NUMA nodes?"""

import re
from typing import Any

from alldata.agent.probe.pcie import normal_address
from alldata.agent.readers.document import Document, json_of
from alldata.agent.readers.quantities import told, whole
from alldata.agent.readers.records import Accelerator, Facts, Host, Pair, Reading

_TITLE = "ROCm System Management Interface"
_NUMA = re.compile(r"^GPU\[(\d+)\]\s*: \(Topology\) Numa Node: (-?\d+)", re.MULTILINE)
_ROW = re.compile(r"^GPU(\d+)((?:\s+(?:XGMI|PCIE|N/A|0|\d+))+)\s*$", re.MULTILINE)
_CARD = re.compile(r"card(\d+)")


def recognises(document: Document) -> bool:
    head = document.text[:4096]
    return _TITLE in head or (head.lstrip().startswith("{") and re.search(r'"card\d+"\s*:\s*\{', head) is not None)


def read(document: Document) -> Reading:
    return _read_json(document) if document.text.lstrip().startswith("{") else _read_tables(document)


def _read_json(document: Document) -> Reading:
    plain, fault = json_of(document)
    if fault:
        return Reading("rocm_smi", complaints=(fault,))
    cards = {int(match[1]): body for name, body in plain.items() if (match := _CARD.fullmatch(name))}
    found = tuple(_card(index, body) for index, body in sorted(cards.items()) if isinstance(body, dict))
    driver = plain.get("system", {}).get("Driver version") if isinstance(plain.get("system"), dict) else None
    facts = {
        "cards": len(found),
        "has_system": "system" in plain,
        "vram_total_bytes": [card.memory_bytes for card in found],
        "driver": driver,
    }
    versions = {"amdgpu_driver": str(driver)} if driver else {}
    return Reading("rocm_smi", (Host(accelerators=found, versions=versions),), facts)


def _card(index: int, body: dict[str, Any]) -> Accelerator:
    def said(*names: str) -> str | None:
        texts = (told(str(body[name])) for name in names if name in body)
        return next((text for text in texts if text), None)

    bus = said("PCI Bus", "PCI Bus Address")
    unique = said("Unique ID")
    return Accelerator(
        index=index,
        uuid=f"GPU-{unique.removeprefix('0x')}" if unique and whole(unique.replace("0x", "")) != 0 else None,
        model=said("Card series", "Card Series", "Card model", "Card Model", "Device Name"),
        vendor="AMD",
        bus=normal_address(bus) if bus else None,
        memory_bytes=whole(said("VRAM Total Memory (B)")),
    )


def _read_tables(document: Document) -> Reading:
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
