"""What do people see of exact amounts? Roundings by largest remainder, so that what is shown also sums. Pure."""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

from alldata.kernel.money import NANO, decimal_text, hamilton

#: Currencies without a minor unit, and those with three decimals (ISO 4217); all others have two.
ZERO_DECIMALS = frozenset({"JPY", "KRW", "VND", "CLP", "ISK", "PYG", "UGX", "XAF", "XOF", "XPF"})
THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
PERMILLE = 1000


def decimals(currency: str) -> int:
    """Digits after the point of the currency's smallest shown unit."""
    if currency in ZERO_DECIMALS:
        return 0
    return 3 if currency in THREE_DECIMALS else 2


def minor(nano: int, currency: str) -> int:
    """The amount in the currency's minor unit, rounded half up."""
    unit = NANO // int(10 ** decimals(currency))
    return (2 * nano + unit) // (2 * unit)


def shown_minor(nanos: Sequence[int], currency: str) -> list[int]:
    """Minor units of each row; they sum to the rounded total."""
    return hamilton(minor(sum(nanos), currency), nanos)


def shown_permille(nanos: Sequence[int]) -> list[int]:
    """Shares in thousandths; they sum to 1000, or are all 0 when the total is 0."""
    return hamilton(PERMILLE if any(nanos) else 0, nanos)


def amount_text(minor_units: int, nano: int, currency: str) -> str:
    """What a cell says: "<0.01" where something rounds to nothing, so that nothing is not shown as free."""
    digits = decimals(currency)
    if minor_units == 0 and nano > 0:
        return "<" + (f"0.{'0' * (digits - 1)}1" if digits else "1")
    whole, part = divmod(abs(minor_units), int(10**digits))
    sign = "-" if minor_units < 0 else ""
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


def unit_text(nano: Fraction) -> str:
    """The price of one unit of work: exact to the nano, below that three digits; never 0 for what costs."""
    if nano == 0 or abs(nano) >= 1:
        return decimal_text(int(nano))
    digits = Context(prec=3).divide(Decimal(nano.numerator), Decimal(nano.denominator * NANO))
    return f"{digits:f}"
