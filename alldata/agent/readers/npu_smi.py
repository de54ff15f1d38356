"""What does `npu-smi info` say? Two lines a chip; cards of two dies repeat the card's line for each."""

import re

from alldata.agent.readers.document import Document
from alldata.agent.readers.quantities import MIB
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading
from alldata.agent.wire import Health

KIND = "npu_smi"
_FIRST = re.compile(r"\|\s*(\d+)\s+(\S+)\s*\|\s*(\S+)\s*\|\s*([\d.]+|-|NA)\s+(\d+|-|NA)\s")
_SECOND = re.compile(r"\|\s*(\d+)(?:\s+(\d+))?\s*\|\s*([0-9A-Fa-f:.]+)\s*\|(.*)\|")
_SHARE = re.compile(r"(\d+)\s*/\s*(\d+)")


def recognises(document: Document) -> bool:
    return "HBM-Usage(MB)" in document.text or re.search(r"^\|\s*npu-smi ", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    """Hugepages, device memory, HBM: the last share of a chip's second line is its HBM."""
    chips: list[Accelerator] = []
    complaints = []
    card: tuple[int, str, str] | None = None
    for place, line in enumerate(document.lines, 1):
        first, second = _FIRST.match(line), _SECOND.match(line)
        if not (second and ":" in second[3]):
            card = (int(first[1]), first[2], first[3]) if first else card
        elif card:
            shares = _SHARE.findall(second[4])
            if shares:
                chips.append(_chip(len(chips), card, second, shares[-1]))
            else:
                complaints.append(document.complaint(place, "no HBM figures on this line"))
    return Reading(KIND, (Host(accelerators=tuple(chips)),), _facts(chips), tuple(complaints))


def _chip(index: int, card: tuple[int, str, str], line: re.Match[str], hbm: tuple[str, str]) -> Accelerator:
    health: Health = "ok" if card[2] in ("OK", "Normal") else "degraded"
    name = card[1] if card[1].startswith("Ascend") else f"Ascend {card[1]}"
    return Accelerator(
        index=index,
        model=name,
        vendor="Huawei",
        bus=line[3].lower(),
        memory_bytes=int(hbm[1]) * MIB,
        attributes={"card": card[0], "chip": int(line[1]), "hbm_used_bytes": int(hbm[0]) * MIB},
        health=health,
        reason=None if health == "ok" else f"npu_smi_says_{card[2].lower()}",
    )


def _facts(chips: list[Accelerator]) -> Facts:
    cards = {chip.attributes["card"] for chip in chips}
    first = chips[0] if chips else None
    return {
        "cards": len(cards),
        "npus": len(cards),
        "chips": len(chips),
        "hbm_total_mb": (first.memory_bytes or 0) // MIB if first else None,
        "hbm_used_mb": int(first.attributes["hbm_used_bytes"]) // MIB if first else None,
    }
