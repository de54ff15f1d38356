"""Money: integer billionths of a currency unit, rounded once, split without loss."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, Overflow

from alldata.kernel.errors import Invalid

NANO = 1_000_000_000


class BadAmount(Invalid):
    """A text that is no amount of money."""

    code = "bad_amount"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"{self.text!r} is not an amount with at most nine decimals, such as 1.00"


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An exact amount. `nano` is billionths of `currency` (ISO 4217)."""

    nano: int
    currency: str

    def as_json(self) -> dict[str, str]:
        """`{"amount": "1.23", "currency": "CNY", "nano": "1230000000"}`, all strings."""
        return {
            "amount": decimal_text(self.nano),
            "currency": self.currency,
            "nano": str(self.nano),
        }


def decimal_text(nano: int) -> str:
    """Exact decimal with at least two places: 1230000000 -> "1.23"."""
    sign, digits = ("-" if nano < 0 else ""), f"{abs(nano):010d}"
    whole, part = digits[:-9], digits[-9:].rstrip("0")
    return f"{sign}{whole}.{part:0<2}"


def parse_nano(amount: object) -> int:
    """Nano-units of a decimal text or integer; floats are refused (they are not exact)."""
    if isinstance(amount, bool) or not isinstance(amount, str | int | Decimal):
        raise BadAmount(str(amount))
    try:
        nano = Decimal(amount) * NANO
    except (InvalidOperation, Overflow):
        raise BadAmount(str(amount)) from None
    if not nano.is_finite() or nano != nano.to_integral_value() or abs(nano) >= 2**63:
        raise BadAmount(str(amount))
    return int(nano)


def hamilton(total: int, weights: Sequence[int]) -> list[int]:
    """Split `total` by non-negative `weights`; the parts sum to it exactly.

    Largest remainders get the missing units, earlier positions win ties. All weights zero
    gives everything to the last position, so nothing is ever dropped.
    """
    whole = sum(weights)
    if not weights:
        return []
    if whole == 0:
        return [0] * (len(weights) - 1) + [total]
    parts = [total * weight // whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda i: (-(total * weights[i] % whole), i))
    for index in order[: total - sum(parts)]:
        parts[index] += 1
    return parts
