"""What do `nvidia-smi -L` and `nvidia-smi nvlink --status` say? Cards, their MIG devices, their NVLinks."""

import re
from collections import Counter

from alldata.agent.readers.document import Document
from alldata.agent.readers.records import Accelerator, Complaint, Facts, Host, Reading

_CARD = re.compile(r"GPU (\d+): (.+?)(?: \(UUID: ([^)]+)\))?\s*")
_MIG = re.compile(r"\s+MIG (\S+)\s+Device\s+(\d+): \(UUID: ([^)]+)\)\s*")
_LINK = re.compile(r"\s+Link (\d+): (?:([\d.]+) GB/s|<?inactive>?)\s*", re.IGNORECASE)


def recognises(document: Document) -> bool:
    return re.search(r"^GPU \d+: .+\(UUID: ", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    cards: list[tuple[int, str, str | None]] = []
    mig: dict[int, list[str]] = {}
    links: dict[int, list[str | None]] = {}
    complaints: list[Complaint] = []
    for place, line in enumerate(document.lines, 1):
        card, part, link = _CARD.fullmatch(line), _MIG.fullmatch(line), _LINK.fullmatch(line)
        if card:
            cards.append((int(card[1]), card[2], card[3]))
        elif part and cards:
            mig.setdefault(cards[-1][0], []).append(part[1])
        elif link and cards:
            links.setdefault(cards[-1][0], []).append(link[2])
        elif line.strip() and not line.startswith("# exit"):
            complaints.append(document.complaint(place, f"not understood: {line.strip()[:60]}"))
    found = tuple(
        Accelerator(
            index,
            uuid,
            model,
            mig=tuple(mig.get(index, ())),
            attributes={"nvlinks": sum(rate is not None for rate in links[index])} if index in links else {},
        )
        for index, model, uuid in cards
    )
    kind = "nvlink" if links else "smi_list"
    return Reading(kind, (Host(accelerators=found),), _facts(found, links), tuple(complaints))


def _facts(cards: tuple[Accelerator, ...], links: dict[int, list[str | None]]) -> Facts:
    profiles = Counter(profile for card in cards for profile in card.mig)
    up = [[rate for rate in rates if rate is not None] for rates in links.values()]
    counts = sorted({len(rates) for rates in up})
    return {
        "gpus": len(cards),
        "mig_devices": profiles.total(),
        "profiles": dict(profiles),
        "links_per_gpu": counts[0] if len(counts) == 1 else counts,
        "gbps_per_link": sorted({rate for rates in up for rate in rates}),
    }
