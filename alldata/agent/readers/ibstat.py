"""Which InfiniBand ports does `ibstat` list, how fast, and are they up? A port that speaks Ethernet is marked."""

import re

from alldata.agent.readers.document import Document
from alldata.agent.readers.records import Adapter, Facts, Host, Reading

KIND = "ibstat"
GIGABIT_IN_BYTES = 125_000_000
_CARD = re.compile(r"CA '([^']+)'")
_FIELD = re.compile(r"\s+([A-Z][\w ]*?):\s*(.*?)\s*")


def recognises(document: Document) -> bool:
    return re.search(r"^CA '[^']+'", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    cards: dict[str, dict[str, str]] = {}
    name = ""
    for line in document.lines:
        card, field = _CARD.match(line), _FIELD.fullmatch(line)
        if card:
            name = card[1]
            cards[name] = {}
        elif field and name:
            cards[name].setdefault(field[1], field[2])
    adapters = tuple(_adapter(name, fields) for name, fields in cards.items())
    return Reading(KIND, (Host(adapters=adapters),), _facts(cards))


def _adapter(name: str, fields: dict[str, str]) -> Adapter:
    rate = fields.get("Rate", "")
    state = {"state": fields["State"]} if "State" in fields else {}
    layer = {"link_layer": fields["Link layer"]} if "Link layer" in fields else {}
    return Adapter(name, int(rate) * GIGABIT_IN_BYTES if rate.isdecimal() else None, attributes=state | layer)


def _facts(cards: dict[str, dict[str, str]]) -> Facts:
    return {
        "hcas": len(cards),
        "rates": {name: int(fields["Rate"]) for name, fields in cards.items() if fields.get("Rate", "").isdecimal()},
        "active": sum(fields.get("State") == "Active" for fields in cards.values()),
    }
