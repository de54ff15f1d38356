"""What is an amount in another currency? One dated rate, one rounding. Pure.

Sums never mix currencies: add first, then convert the sum with a single rate.
"""

from collections.abc import Iterable
from dataclasses import dataclass

RATE_SCALE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """`nano_per_unit`: billionths of `quote` for one unit of `base`, from `as_of_ms` on."""

    base: str
    quote: str
    as_of_ms: int
    nano_per_unit: int


def rate_at(rates: Iterable[ExchangeRate], base: str, quote: str, at_ms: int) -> ExchangeRate | None:
    """The newest rate that was known at a moment; None is a gap, never 1."""
    if base == quote:
        return ExchangeRate(base, quote, at_ms, RATE_SCALE)
    known = [r for r in rates if (r.base, r.quote) == (base, quote) and r.as_of_ms <= at_ms]
    return max(known, key=lambda r: r.as_of_ms, default=None)


def converted(nano: int, rate: ExchangeRate) -> int:
    """The amount in the other currency, rounded half up."""
    return (2 * nano * rate.nano_per_unit + RATE_SCALE) // (2 * RATE_SCALE)
