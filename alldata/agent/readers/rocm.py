"""What does rocm-smi say: its JSON, or its tables of links and NUMA nodes?"""

import re
from typing import Any

from alldata.agent.probe.pcie import normal_address
from alldata.agent.readers import rocm_topo
from alldata.agent.readers.document import Document, json_of
from alldata.agent.readers.quantities import told, whole
from alldata.agent.readers.records import Accelerator, Host, Reading

_TITLE = "ROCm System Management Interface"
_CARD = re.compile(r"card(\d+)")


def recognises(document: Document) -> bool:
    head = document.text[:4096]
    return _TITLE in head or (head.lstrip().startswith("{") and re.search(r'"card\d+"\s*:\s*\{', head) is not None)


def read(document: Document) -> Reading:
    return _read_json(document) if document.text.lstrip().startswith("{") else rocm_topo.read(document)


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
