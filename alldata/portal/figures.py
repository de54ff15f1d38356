"""How is a number written for people? Amounts, money and shares, the same on every page.

Integers in base units come in, text comes out; nothing here rounds what is stored. A narrow
no-break space stands before units and %, so that a value is never broken from its unit.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from alldata.kernel.money import NANO, hamilton
from costing.pricing.display import unit_text
from profiles.dimensions import BY_NAME

THIN = "\u202f"
MINUS = "\u2212"
SYMBOLS = {"CNY": "¥", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
DECIMAL = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


def digits(value: Decimal | float, significant: int = 3) -> str:
    """`significant` digits, thousands grouped, never in exponent form: 1493.2 -> "1,493"."""
    number = Decimal(value)
    if not number:
        return "0"
    places = max(0, significant - 1 - number.adjusted())
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)
    text = f"{rounded:,.{places}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", MINUS)


def amount(value: int, dimension: str, significant: int = 3) -> str:
    """An amount of a capability with its unit: 1493e9, hbm_bandwidth -> "1,493 GB/s"."""
    known = BY_NAME.get(dimension)
    unit = known.unit if known else ""
    if unit == "bytes":
        return size(value, significant)
    if unit == "bytes/s":
        return _decimal(value, "B/s", significant)
    if unit == "ppm":
        return f"{digits(Decimal(value) / 10_000, significant)}{THIN}%"
    if unit == "millicores":
        return digits(Decimal(value) / 1000, max(significant, 3))
    if unit == "io/s":
        return _decimal(value, "IOPS", significant)
    text = digits(value, 6)
    return f"{text}{THIN}{known.shown_unit or unit}" if known and unit not in ("slots", "version") else text


def _decimal(value: int, unit: str, significant: int) -> str:
    for scale, prefix in DECIMAL:
        if abs(value) >= scale:
            tail = f"{prefix}{THIN}{unit}" if unit == "IOPS" else f"{THIN}{prefix}{unit}"
            return f"{digits(Decimal(value) / scale, significant)}{tail}"
    return f"{digits(value, significant)}{THIN}{unit}"


def size(value: int, significant: int = 3) -> str:
    """Bytes in binary units: 1073741824 -> "1 GiB"."""
    for scale, unit in BINARY:
        if abs(value) >= scale:
            return f"{digits(Decimal(value) / scale, significant)}{THIN}{unit}"
    return f"{value}{THIN}B"


def percent(part: int | float, whole: int | float, places: int = 0) -> str:
    """A share; 100 is written only when nothing is missing, 0 only when there is nothing."""
    if not whole:
        return f"0{THIN}%"
    value = Decimal(part) * 100 / Decimal(whole)
    step = Decimal(1).scaleb(-places)
    shown = value.quantize(step, ROUND_HALF_EVEN)
    if shown >= 100 > value:
        shown = 100 - step
    if shown == 0 < value:
        return f"<{THIN}{step.normalize():f}{THIN}%"
    return f"{shown:.{places}f}{THIN}%"


def money_places(nano: int) -> int:
    """Two decimals for ordinary amounts; small ones keep three significant digits."""
    if nano == 0 or abs(nano) >= NANO:
        return 2
    return min(9, 2 - Decimal(abs(nano)).scaleb(-9).adjusted())


def unit_price(price: int | Fraction, currency: str) -> str:
    """A rate keeps four significant digits; one below a nano keeps three, and never reads as free."""
    if 0 < price < 1:
        return f"{SYMBOLS.get(currency, currency + THIN)}{unit_text(Fraction(price))}"
    nano = int(price)
    places = max(2, 3 - Decimal(abs(nano)).scaleb(-9).adjusted()) if nano else 2
    return money(nano, currency, min(9, places))


def money(nano: int, currency: str = "CNY", places: int | None = None) -> str:
    """An exact amount written once-rounded with its sign and symbol: ¥14.33."""
    places = money_places(nano) if places is None else places
    value = Decimal(abs(nano)).scaleb(-9).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)
    sign = MINUS if nano < 0 and value else ""
    return f"{sign}{SYMBOLS.get(currency, currency + THIN)}{value:,.{places}f}"


def money_parts(parts: Sequence[int], currency: str = "CNY") -> tuple[list[str], str]:
    """Parts and their total, rounded together: the shown parts add up to the shown total."""
    total = sum(parts)
    places = money_places(total)
    step = 10 ** (9 - places)
    shown_total = round(Decimal(total) / step)
    shares = (
        hamilton(int(shown_total), parts)
        if min(parts, default=0) >= 0 and parts
        else [round(Decimal(part) / step) for part in parts]
    )
    return [money(int(share) * step, currency, places) for share in shares], money(total, currency, places)


def quantity(q: int, dimension: str) -> str:
    """A base-unit x ms integral in hours of the shown unit: "0.00312 core·h"."""
    known = BY_NAME[dimension]
    scale, unit = (1_000_000, "device") if known.unit == "ppm" else (known.scale, known.shown_unit or known.unit)
    return f"{digits(Decimal(q) / scale / 3_600_000, 4)}{THIN}{'core' if unit == 'cores' else unit}·h"
