"""What number stands in this cell? `81559 MiB`, `16x`, `25.00 W`, `80Gi`, `4000G` - or none.

Commands write a gap in many ways ([N/A], [Not Supported], ERR!, Unknown Error, GPU is lost): all of them are None.
"""

import re

MIB, GIB = 1 << 20, 1 << 30
_NUMBER = re.compile(r"\s*\(?(-?\d+(?:\.\d+)?)\s*([A-Za-z%/]*)")
_GAP = re.compile(
    r"\[?(n/?a|not supported|not available|unknown error|unknown|err!?|gpu is lost|none|null|requires reset|"
    r"requested functionality has been deprecated|insufficient permissions|\(null\)|-)?\]?",
    re.IGNORECASE,
)
_BINARY = {"k": 1 << 10, "m": MIB, "g": GIB, "t": 1 << 40, "p": 1 << 50}
_DECIMAL = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15}


def told(text: str | None) -> str | None:
    """The text, or None where it only says that there is nothing to say."""
    bare = (text or "").strip()
    return None if _GAP.fullmatch(bare) else bare


def number(text: str | None) -> float | None:
    """The leading number of a cell, its unit ignored."""
    match = _NUMBER.match(told(text) or "")
    return float(match[1]) if match else None


def whole(text: str | None) -> int | None:
    """The leading number as a whole one."""
    value = number(text)
    return None if value is None else int(value)


def mebibytes(text: str | None) -> int | None:
    """Bytes of `81559 MiB`; less than none is no size."""
    value = number(text)
    return None if value is None or value < 0 else int(value * MIB)


def bytes_of(text: str | None, *, bare: int = 1) -> int | None:
    """Bytes of `80Gi`, `98296Mi`, `2113462272Ki`, `1436G`, `16 GB`; a number alone counts `bare` bytes each.

    Kubernetes tells `G` (decimal) from `Gi`; a `B` after the letter is decimal too unless an `i` stands between.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kKmMgGtTpP]?)(i?)([bB]?)\s*", told(text) or "")
    if not match:
        return None
    letter = match[2].lower()
    if not letter:
        return int(float(match[1]) * bare)
    return int(float(match[1]) * (_BINARY if match[3] else _DECIMAL)[letter])


def binary_bytes(text: str | None, *, bare: int = 1) -> int | None:
    """The same where letters mean powers of 1024, as Slurm and dmidecode use them."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kKmMgGtTpP]?)i?[bB]?\s*", told(text) or "")
    if not match:
        return None
    return int(float(match[1]) * (_BINARY[match[2].lower()] if match[2] else bare))
