"""Which faults of GPUs stand in the kernel's log? Xid numbers, and the same falls told without a number."""

import re

from alldata.agent.readers.document import Document
from alldata.agent.readers.records import Accelerator, Host, Reading

KIND = "kmsg"
FALLEN = 79
_XID = re.compile(r"NVRM: Xid \(PCI:([0-9a-fA-F:]+)(?:\.\d)?\): (\d+)")
_BUS = r"([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})(?:\.\d)?"
_FALLEN = re.compile(rf"GPU (?:at PCI:)?{_BUS}[^\n]*(?:\n[^\n]*NVRM:[^\n]*){{0,3}}?fallen off the bus")
#: Xids after which a card must not be given out; the others are a job's own fault or a warning.
DEADLY = {48, 62, 64, 74, 79, 94, 95, 110, 119, 120, 136, 140, 143, 154}


def recognises(document: Document) -> bool:
    return re.search(r"NVRM: ", document.text) is not None


def read(document: Document) -> Reading:
    seen: dict[str, set[int]] = {}
    for bus, number in _XID.findall(document.text):
        seen.setdefault(_bdf(bus), set()).add(int(number))
    for bus in _FALLEN.findall(document.text):
        seen.setdefault(_bdf(bus), set()).add(FALLEN)
    cards = tuple(
        Accelerator(-1, bus=bus, health="lost" if FALLEN in xids else "degraded", reason=f"xid_{min(xids & DEADLY)}")
        for bus, xids in seen.items()
        if xids & DEADLY
    )
    xids = sorted(set().union(*seen.values()))
    return Reading(KIND, (Host(accelerators=cards),), {"xids": xids, "bdf": next(iter(seen), None)})


def _bdf(bus: str) -> str:
    """`0000:44:00` as an address of a card, function 0."""
    domain, _, rest = bus.lower().partition(":")
    return f"{domain[-4:] if len(domain) > 4 else domain}:{rest}.0"
