"""What is wrong with a device, what is not known of it, and which command helps? Codes of agents as words."""

import re
from dataclasses import dataclass

from alldata.portal.remedies import DRIVER_OLD, GAPS, OTHER, REMEDIES, UNKNOWN, XID, Remedy


@dataclass(frozen=True, slots=True)
class Ailment:
    """One remedy with its holes filled."""

    title: str
    advice: str
    command: str


def ailment(code: str, bus: str) -> Ailment:
    """What a degraded device suffers from."""
    if found := re.fullmatch(r"driver_below_([\d.]+)", code):
        return _filled(DRIVER_OLD, bus, need=found[1])
    if found := re.fullmatch(r"xid_(\d+)", code):
        return _filled(REMEDIES["gpu_is_lost"] if found[1] == "79" else XID, bus, number=found[1])
    return _filled(REMEDIES.get(code, OTHER), bus, code=code.replace("_", " "))


def unknown(code: str, bus: str) -> Ailment:
    """Why a figure is missing, and how to learn it."""
    known = UNKNOWN.get(code)
    return _filled(known, bus) if known else ailment(code or "not_reported", bus)


def gap(code: str) -> Ailment:
    """What could not be learned of the machine as a whole."""
    known = GAPS.get(code)
    return _filled(known, "") if known else Ailment(code.replace("_", " "), "", "")


def _filled(remedy: Remedy, bus: str, **holes: str) -> Ailment:
    title = str(remedy.title)
    return Ailment(title % holes if holes else title, str(remedy.advice), remedy.command.replace("{bus}", bus))
