"""What do `nvme id-ctrl` and `nvme show-regs` say of a controller?

`sqes` and `cqes` are powers of two of ENTRY sizes, never a depth. The depth a controller can do is CAP.MQES + 1; what
is in force only the running kernel knows.
"""

import re
from typing import Any

from alldata.agent.readers.document import Document, json_of
from alldata.agent.readers.quantities import told
from alldata.agent.readers.records import Facts, Reading

KIND = "nvme"
PAGE = 4096
_CAP = re.compile(r"^\s*cap\s*:\s*(?:0x)?([0-9a-fA-F]{1,16})\b", re.MULTILINE)
_FIELD = re.compile(r"^(\w+)\s*:\s*(.*?)\s*$", re.MULTILINE)


def recognises(document: Document) -> bool:
    text = document.text
    if text.lstrip().startswith("{"):
        return '"sqes"' in text or re.match(r'\s*\{\s*"cap"', text) is not None
    return _CAP.search(text) is not None or re.search(r"^sqes\s*:\s*0x", text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    plain: dict[str, Any] = {}
    if document.text.lstrip().startswith("{"):
        plain, fault = json_of(document)
        if fault:
            return Reading(KIND, complaints=(fault,))
    else:
        plain = dict(_FIELD.findall(document.text))
    facts: dict[str, object] = {}
    if "cap" in plain:
        raw = plain["cap"]
        facts |= capabilities(raw if isinstance(raw, int) else int(str(raw).split()[0], 16))
    if "sqes" in plain:
        facts |= _identity(plain)
    return Reading(KIND, facts=facts)


def capabilities(register: int) -> Facts:
    """The CAP register's fields that bear on queues (NVMe base specification, figure "Controller Capabilities")."""
    entries = register & 0xFFFF
    return {
        "cap_hex": f"0x{register:016x}",
        "mqes_raw": entries,
        "max_queue_entries": entries + 1,
        "contiguous_queues_required": bool(register >> 16 & 1),
        "timeout_s": (register >> 24 & 0xFF) * 0.5,
    }


def _number(plain: dict[str, Any], name: str) -> int | None:
    raw = plain.get(name)
    if isinstance(raw, int):
        return raw
    try:
        return int(str(raw).split()[0], 0) if raw else None
    except ValueError:
        return None


def _identity(plain: dict[str, Any]) -> Facts:
    transfer, version = _number(plain, "mdts"), _number(plain, "ver")
    limit = _number(plain, "maxcmd")
    return {
        "model": told(str(plain.get("mn") or "")),
        "sq_entry_bytes": _entry_sizes(_number(plain, "sqes")),
        "cq_entry_bytes": _entry_sizes(_number(plain, "cqes")),
        "queue_depth": None,
        "max_outstanding_commands": limit or None,
        "mdts": transfer,
        "max_transfer_bytes_if_4k_page": PAGE << transfer if transfer else None,
        "capacity_bytes": _number(plain, "tnvmcap") or None,
        "nvme_version": f"{version >> 16}.{version >> 8 & 0xFF}.{version & 0xFF}" if version else None,
    }


def _entry_sizes(field: int | None) -> list[int] | None:
    """Least and greatest entry size in bytes: low and high half of the byte."""
    return None if field is None else [1 << (field & 0xF), 1 << (field >> 4 & 0xF)]
