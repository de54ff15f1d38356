"""How things are named: UUIDv7 keys that sort by birth, and J-n numbers for people."""

import secrets
import time
from uuid import UUID

from alldata.kernel.errors import Invalid


def uuid7() -> UUID:
    """A new time-ordered key (RFC 9562: 48 bits of ms, version, 74 random bits)."""
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    return UUID(int=value & ~(0x3 << 62) | 0x2 << 62)


def numbered_sql(number: str) -> str:
    """SQL for the key of row `number` of a statement, in order; `birth` is its CTE with one uuidv7() as `id`.

    A counter in place of the last random bits, as RFC 9562 allows: a server without OpenSSL opens a file for each key.
    """
    return f"(left((SELECT id::text FROM birth), 24) || lpad(to_hex({number}), 12, '0'))::uuid"


class BadReference(Invalid):
    """A job was named by neither a UUID nor J-n."""

    code = "bad_reference"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"{self.text!r} is neither a job id (UUID) nor a job number such as J-12"


def parse_job_reference(text: str) -> UUID | int:
    """The key or the number that `text` names ("J-12", "j-12" or a UUID)."""
    if text[:2].upper() == "J-" and text[2:].isdecimal() and len(text) < 20:
        return int(text[2:])
    try:
        return UUID(text)
    except ValueError:
        raise BadReference(text) from None
