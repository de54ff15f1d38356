"""What of a bucket is charged to its project? Pure; the ledger holds the same whatever the mode.

| mode | charged |
|---|---|
| consumption | used |
| allocation | used + allocated_idle |
| max | used + allocated_idle + unmetered: at least what was asked for, known or not |
| blend | used + a part of allocated_idle |

Applied to one account of one hour, rounded down there once, so that every view adds the same amounts.
"""

from enum import StrEnum

PPM = 1_000_000


class Mode(StrEnum):
    """Which buckets a project pays for."""

    CONSUMPTION = "consumption"
    ALLOCATION = "allocation"
    MAX = "max"
    BLEND = "blend"


#: The same in SQL: `nano` and `bucket` of an account-hour `a`, `charge_mode` and `blend_ppm` of its version `v`.
CHARGED_SQL = """CASE
    WHEN a.bucket = 'used' THEN a.nano
    WHEN a.bucket = 'allocated_idle' AND v.charge_mode IN ('allocation', 'max') THEN a.nano
    WHEN a.bucket = 'unmetered' AND v.charge_mode = 'max' THEN a.nano
    WHEN a.bucket = 'allocated_idle' AND v.charge_mode = 'blend' THEN floor(a.nano * v.blend_ppm / 1000000)
    ELSE 0 END"""


def charged(bucket: str, nano: int, mode: str, blend_ppm: int) -> int:
    """Nano charged for one account of one hour."""
    if bucket == "used":
        return nano
    if bucket == "allocated_idle" and mode in (Mode.ALLOCATION, Mode.MAX):
        return nano
    if bucket == "unmetered" and mode == Mode.MAX:
        return nano
    return nano * blend_ppm // PPM if bucket == "allocated_idle" and mode == Mode.BLEND else 0
