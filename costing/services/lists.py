"""Read a price list as someone wrote it: YAML of our own, or the CSV of a cloud. Checked, not yet in force.

A YAML line prices a kind of device by `hourly`, or by `own`: what it cost and what it costs to run
(costing.pricing.own). `energy: {pue, tariff}` bills the joules that were measured, beside the hours.
Currencies other than the book's are converted with one dated rate, which the version keeps.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

from alldata.kernel.money import parse_nano
from costing.errors import BadPriceBook
from costing.models import ChargeMode
from costing.pricing import PriceLine
from costing.pricing.own import Asset, Power, Running, own_rate, power_rate
from profiles.dimensions import BILLABLE, DEVICE_TYPES

PPM = 1_000_000
BILLABLE_NAMES = frozenset(BILLABLE)
METHODS = ("straight", "declining", "sum_of_years")


@dataclass(frozen=True, slots=True)
class PriceList:
    """A price book as someone wrote it, checked."""

    name: str
    currency: str
    charge_mode: str
    source: str
    example: bool
    bills_proxy: bool
    lines: tuple[PriceLine, ...]
    digest: str
    blend_ppm: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def energy(self) -> Power | None:
        """What measured energy costs; None where it is not billed."""
        return Power(**self.facts["energy"]) if "energy" in self.facts else None


def read_price_list(text: str) -> PriceList:
    """A price list from YAML. Errors: BadPriceBook, BadAmount."""
    try:
        plain = yaml.safe_load(text)
    except yaml.YAMLError as fault:
        raise BadPriceBook("document", f"YAML ({fault})") from None
    if not isinstance(plain, dict) or not isinstance(plain.get("lines"), list) or not plain["lines"]:
        raise BadPriceBook("lines", "a list of prices")
    lines = tuple(_line(index, line) for index, line in enumerate(plain["lines"]))
    own = {f"lines[{k}]": line["own"] for k, line in enumerate(plain["lines"]) if "own" in line}
    energy = _energy(plain.get("energy"))
    if energy and any("watts" in costs for costs in own.values()):
        raise BadPriceBook("energy", "measured energy, or the watts of a machine of ours, not both")
    return PriceList(
        name=str(plain.get("name", "")),
        currency=str(plain.get("currency", "")),
        charge_mode=read_mode(plain.get("charge_mode", ChargeMode.CONSUMPTION.value)),
        source=str(plain.get("source", "")),
        example=plain.get("example") is True,
        bills_proxy=plain.get("bills_proxy") is True,
        lines=lines,
        digest=digest_of(plain),
        blend_ppm=read_ppm("blend", plain.get("blend", 0)),
        facts={**({"own": own} if own else {}), **({"energy": asdict(energy)} if energy else {})},
    )


def _energy(plain: object) -> Power | None:
    """What a kilowatt-hour costs and what the room takes on top of it. Errors: BadPriceBook, BadAmount."""
    if plain is None:
        return None
    if not isinstance(plain, dict) or not plain.keys() <= {"pue", "tariff"} or "tariff" not in plain:
        raise BadPriceBook("energy", "tariff, the price of a kilowatt-hour, and pue")
    pue, tariff = parse_nano(plain.get("pue", 1)), parse_nano(plain["tariff"])
    if pue < 1_000_000_000 or tariff < 0:
        raise BadPriceBook("energy", "a tariff of at least 0 and pue of at least 1")
    return Power(pue // 1000, tariff)


def digest_of(plain: object) -> str:
    """The same list, written again, has the same digest."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True, default=str).encode()).hexdigest()


def read_mode(mode: object) -> str:
    """A charge mode. Errors: BadPriceBook."""
    if mode not in ChargeMode.values:
        raise BadPriceBook("charge_mode", "one of " + ", ".join(ChargeMode.values))
    return str(mode)


def read_ppm(where: str, value: object) -> int:
    """A part from 0 to 1, as a number or a text, in parts per million. Errors: BadPriceBook."""
    try:
        ppm = Decimal(str(value)) * PPM
    except InvalidOperation:
        raise BadPriceBook(where, "a number from 0 to 1") from None
    if not ppm.is_finite() or ppm != ppm.to_integral_value() or not 0 <= ppm <= PPM:
        raise BadPriceBook(where, "a number from 0 to 1 with at most six decimals")
    return int(ppm)


def check_weights(where: str, weights: object) -> dict[str, int]:
    """Weights of billable capabilities that sum to the device. Errors: BadPriceBook."""
    expected = BadPriceBook(f"{where}.weights", "billable capabilities whose weights sum to 1000000")
    if not isinstance(weights, dict) or not BILLABLE_NAMES.issuperset(weights):
        raise expected
    if not all(type(w) is int and w >= 0 for w in weights.values()) or sum(weights.values()) != PPM:
        raise expected
    return weights


def _line(index: int, plain: object) -> PriceLine:
    where = f"lines[{index}]"
    if not isinstance(plain, dict) or plain.get("type") not in DEVICE_TYPES:
        raise BadPriceBook(f"{where}.type", "one of " + ", ".join(DEVICE_TYPES))
    weights = check_weights(where, plain.get("weights"))
    nano = _own_rate(f"{where}.own", plain["own"]) if "own" in plain else parse_nano(plain.get("hourly"))
    per = plain.get("per", 1)
    if nano < 0 or type(per) is not int or per <= 0:
        raise BadPriceBook(where, "hourly of at least 0 and per above 0")
    return PriceLine(plain["type"], str(plain.get("model", "")), str(plain.get("basis", "")), per, nano, weights)


def _own_rate(where: str, plain: object) -> int:
    """Depreciation, running costs, and energy of the measured mean power. Errors: BadPriceBook."""
    if not isinstance(plain, dict) or plain.get("method", "straight") not in METHODS:
        raise BadPriceBook(where, "capex, salvage, life_months, method " + " | ".join(METHODS))
    months, hours = (_positive(where, plain, name, usual) for name, usual in (("life_months", 36), ("hours", 730)))
    month = plain.get("month", 0)
    if type(month) is not int or month < 0:
        raise BadPriceBook(f"{where}.month", "a month of life, 0 first")
    asset = Asset(parse_nano(plain.get("capex", 0)), parse_nano(plain.get("salvage", 0)), months)
    if not 0 <= asset.salvage_nano <= asset.capex_nano:
        raise BadPriceBook(f"{where}.salvage", "at most capex")
    asset = Asset(asset.capex_nano, asset.salvage_nano, months, plain.get("method", "straight"))
    monthly = [parse_nano(plain.get(name, 0)) for name in ("rack", "network", "staff")]
    rate = own_rate(asset, Running(monthly[0], monthly[1], monthly[2], hours), month=month)
    return rate + _power_rate(where, plain)


def _power_rate(where: str, plain: Mapping[str, Any]) -> int:
    """Nano per hour of `watts` (the measured mean) at `pue` and `tariff` per kWh; 0 without watts."""
    if "watts" not in plain:
        return 0
    milliwatts, pue = (parse_nano(plain.get(name, usual)) for name, usual in (("watts", 0), ("pue", 1)))
    if milliwatts < 0 or pue < 1_000_000_000:
        raise BadPriceBook(where, "watts of at least 0 and pue of at least 1")
    return power_rate(milliwatts // PPM, Power(pue // 1000, parse_nano(plain.get("tariff", 0))))


def _positive(where: str, plain: Mapping[str, Any], name: str, usual: int) -> int:
    value = plain.get(name, usual)
    if type(value) is not int or value < 1:
        raise BadPriceBook(f"{where}.{name}", "a whole number of at least 1")
    return value
