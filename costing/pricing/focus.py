"""How do our quantities and amounts read in a FOCUS file? Formats and units, exact. Pure.

FOCUS wants decimals without exponent, UTC seconds, NULL as an empty cell, and units of its own list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from alldata.kernel.intervals import HOUR_MS
from alldata.kernel.money import NANO, hamilton

PLACES = 18
RATIO_SCALE = 10**PLACES


@dataclass(frozen=True, slots=True)
class Unit:
    """FOCUS unit of a consumed quantity: the integral (base unit x ms) divided by `per`."""

    name: str
    per: int


#: By the base unit of a dimension (profiles.dimensions).
UNITS: Mapping[str, Unit] = {
    "bytes/s": Unit("GB", 1000 * 10**9),
    "io/s": Unit("Requests", 1000),
    "bytes": Unit("GB-Hours", 10**9 * HOUR_MS),
    "ppm": Unit("Hours", 10**6 * HOUR_MS),
    "millicores": Unit("Hours", 1000 * HOUR_MS),
    "mW": Unit("kWh", 10**6 * HOUR_MS),
    "slots": Unit("Hours", HOUR_MS),
}


def plain(value: Decimal) -> str:
    """A decimal without exponent and without trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def divided_by(value: int, by: int) -> Decimal:
    """value / by with at least eighteen decimals."""
    with localcontext() as context:
        context.prec = 60
        return (Decimal(value) / by).quantize(Decimal(1).scaleb(-PLACES), ROUND_HALF_EVEN)


def cost(nano: int) -> str:
    """An amount of money."""
    return plain(divided_by(nano, NANO))


def pricing_quantity(nano: int, nano_per_hour: int) -> Decimal:
    """Hours such that unit price x quantity rounds back to the amount."""
    return divided_by(nano, nano_per_hour) if nano_per_hour else Decimal(0)


def consumed(q: int, unit: str) -> tuple[str, str]:
    """The measured integral in FOCUS units: (quantity, unit)."""
    known = UNITS[unit]
    return plain(divided_by(q, known.per)), known.name


def ratios(nanos: list[int]) -> list[str]:
    """The share of each row in its origin; they sum to exactly 1."""
    return [plain(divided_by(part, RATIO_SCALE)) for part in hamilton(RATIO_SCALE, nanos)]


def stamp(at_ms: int) -> str:
    """2026-11-29T22:00:00Z; charge periods are whole hours."""
    return f"{datetime.fromtimestamp(at_ms // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def month_of(at_ms: int) -> tuple[int, int]:
    """The UTC month around a moment as [start_ms, end_ms)."""
    at = datetime.fromtimestamp(at_ms // 1000, UTC)
    start = datetime(at.year, at.month, 1, tzinfo=UTC)
    end = datetime(at.year + at.month // 12, at.month % 12 + 1, 1, tzinfo=UTC)
    return int(start.timestamp()) * 1000, int(end.timestamp()) * 1000
