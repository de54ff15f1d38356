"""What does `lspci` (best with -nn) say? Cards by class and maker; indented detail lines are passed over."""

import re

from alldata.agent.probe.pcie import normal_address
from alldata.agent.readers.document import Document
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading

KIND = "lspci"
_LINE = re.compile(
    r"((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ([^:\[]+?)(?: \[([0-9a-f]{4})\])?: (.+?)"
    r"(?: \[([0-9a-f]{4}):([0-9a-f]{4})\])?(?: \(rev [0-9a-f]+\))?(?: \(prog-if .*\))?"
)
_ACCELERATORS = {"0300", "0302", "0380", "1200"}
_NAMES = {
    "vga compatible controller": "0300",
    "3d controller": "0302",
    "display controller": "0380",
    "bridge": "0680",
    "infiniband controller": "0207",
    "ethernet controller": "0200",
    "non-volatile memory controller": "0108",
    "processing accelerators": "1200",
}
_MAKERS = {"10de": "NVIDIA", "1002": "AMD", "19e5": "Huawei"}


def recognises(document: Document) -> bool:
    return re.search(r"^(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] \w", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    cards: list[tuple[str, str, str, str]] = []  # address, class, maker, name
    complaints = []
    for place, line in enumerate(document.lines, 1):
        match = _LINE.fullmatch(line.rstrip())
        if match:
            cards.append((_address(match[1]), _class(match), _maker(match), match[4]))
        elif line.strip() and not line[0].isspace() and not line.startswith("#"):
            complaints.append(document.complaint(place, f"not a device line: {line.strip()[:60]}"))
    found = [card for card in cards if card[1] in _ACCELERATORS and card[2] in _MAKERS]
    accelerators = tuple(
        Accelerator(index, model=_model(name), vendor=_MAKERS[maker], bus=address)
        for index, (address, _kind, maker, name) in enumerate(found)
    )
    return Reading(KIND, (Host(accelerators=accelerators),), _facts(cards), tuple(complaints))


def _address(text: str) -> str:
    return normal_address(text if text.count(":") == 2 else f"0000:{text}")


def _class(match: re.Match[str]) -> str:
    return match[3] or _NAMES.get(match[2].strip().lower(), "")


def _maker(match: re.Match[str]) -> str:
    if match[5]:
        return match[5]
    return next((number for number, name in _MAKERS.items() if name.lower() in match[4].lower()), "")


def _model(name: str) -> str:
    """`NVIDIA Corporation GA100 [A100 SXM4 80GB]` is sold as what stands in brackets."""
    sold = re.search(r"\[([^\]]+)\]\s*$", name)
    return sold[1] if sold else name


def _facts(cards: list[tuple[str, str, str, str]]) -> Facts:
    def count(kind: str, maker: str | None = None) -> int:
        return sum(card[1] == kind and maker in (None, card[2]) for card in cards)

    return {
        "nvidia_3d": count("0302", "10de"),
        "nvidia_vga": count("0300", "10de"),
        "nvswitch": count("0680", "10de"),
        "nvme": count("0108"),
        "infiniband": count("0207"),
        "ethernet": count("0200"),
        "devices": len(cards),
    }
