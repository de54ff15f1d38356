"""Put a price list in force. Publishing the same list twice changes nothing; versions never change."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from django.db import transaction

from alldata.kernel.money import parse_nano
from costing.errors import BadPriceBook
from costing.models import ChargeMode, PriceBook, PriceRate, PriceVersion
from costing.pricing import PriceLine
from profiles.dimensions import BILLABLE, DEVICE_TYPES

EMBEDDED_FILE = Path(__file__).resolve().parent.parent / "data" / "price_book_embedded.yaml"
PPM = 1_000_000
BILLABLE_NAMES = frozenset(BILLABLE)


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


def ensure_price_book(*, now_ms: int) -> str:
    """Put the embedded example prices in force when no book is, or when they changed; returns its name."""
    text = EMBEDDED_FILE.read_text(encoding="utf-8")
    return publish_prices(read_price_list(text), now_ms=now_ms)


def publish_prices(prices: PriceList, *, now_ms: int) -> str:
    """Make a version that is valid from now on (the first one: from ever); what is past keeps its prices."""
    with transaction.atomic():
        book, _ = PriceBook.objects.get_or_create(
            name=prices.name, defaults={"currency": prices.currency, "charge_mode": prices.charge_mode}
        )
        PriceBook.objects.select_for_update().get(pk=book.pk)
        latest = book.versions.order_by("-number").first()
        if latest is not None and latest.digest == prices.digest:
            return f"{book.name} r{latest.number}"
        version = PriceVersion.objects.create(
            book=book,
            number=latest.number + 1 if latest else 1,
            digest=prices.digest,
            valid_from_ms=now_ms if latest else 0,
            source=prices.source,
            example=prices.example,
            bills_proxy=prices.bills_proxy,
            created_ms=now_ms,
        )
        PriceRate.objects.bulk_create(_row(version, line) for line in prices.lines)
    return f"{book.name} r{version.number}"


def _row(version: PriceVersion, line: PriceLine) -> PriceRate:
    return PriceRate(
        version=version,
        device_type=line.device_type,
        model=line.model,
        basis=line.basis,
        per_amount=line.per_amount,
        nano_per_hour=line.nano_per_hour,
        weights=dict(line.weights),
    )


def read_price_list(text: str) -> PriceList:
    """A price list from YAML. Errors: BadPriceBook, BadAmount."""
    plain = yaml.safe_load(text)
    if not isinstance(plain, dict) or not isinstance(plain.get("lines"), list):
        raise BadPriceBook("lines", "a list of prices")
    lines = tuple(_line(index, line) for index, line in enumerate(plain["lines"]))
    canonical = json.dumps(plain, sort_keys=True, default=str)
    mode = plain.get("charge_mode", ChargeMode.CONSUMPTION.value)
    if mode not in ChargeMode.values:
        raise BadPriceBook("charge_mode", "one of " + ", ".join(ChargeMode.values))
    return PriceList(
        name=str(plain.get("name", "")),
        currency=str(plain.get("currency", "")),
        charge_mode=mode,
        source=str(plain.get("source", "")),
        example=plain.get("example") is True,
        bills_proxy=plain.get("bills_proxy") is True,
        lines=lines,
        digest=hashlib.sha256(canonical.encode()).hexdigest(),
    )


def _line(index: int, plain: Mapping[str, Any]) -> PriceLine:
    where = f"lines[{index}]"
    weights = plain.get("weights")
    if plain.get("type") not in DEVICE_TYPES:
        raise BadPriceBook(f"{where}.type", "one of " + ", ".join(DEVICE_TYPES))
    if not isinstance(weights, dict) or sum(weights.values()) != PPM or not BILLABLE_NAMES.issuperset(weights):
        raise BadPriceBook(f"{where}.weights", "billable capabilities whose weights sum to 1000000")
    nano = parse_nano(plain.get("hourly"))
    per = plain.get("per", 1)
    if nano < 0 or type(per) is not int or per <= 0:
        raise BadPriceBook(where, "hourly of at least 0 and per above 0")
    return PriceLine(plain["type"], str(plain.get("model", "")), str(plain.get("basis", "")), per, nano, weights)
