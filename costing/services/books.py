"""Put a price list in force. Publishing the list in force again changes nothing; versions never change."""

from pathlib import Path

from django.db import transaction

from costing.errors import BadPriceBook
from costing.models import PriceBook, PriceRate, PriceVersion
from costing.pricing import PriceLine
from costing.selectors.prices import EMBEDDED
from costing.services.lists import PriceList, read_price_list

EMBEDDED_FILE = Path(__file__).resolve().parent.parent / "data" / "price_book_embedded.yaml"


def ensure_price_book(*, now_ms: int) -> str:
    """Put the embedded example prices in force when no book is, or when they changed; returns its name."""
    newest = _newest()
    if newest is not None and newest.book.name != EMBEDDED:
        return f"{newest.book.name} r{newest.number}"
    text = EMBEDDED_FILE.read_text(encoding="utf-8")
    return publish_prices(read_price_list(text), now_ms=now_ms)


def publish_prices(prices: PriceList, *, now_ms: int) -> str:
    """Make a version that is valid from now on (the first one: from ever); what is past keeps its prices.

    All versions of all books form one history, so they share one currency. Errors: BadPriceBook.
    """
    with transaction.atomic():
        other = PriceBook.objects.exclude(currency=prices.currency).values_list("currency", flat=True).first()
        if other is not None:
            raise BadPriceBook("currency", f"{other}, the currency of the ledger")
        book, _ = PriceBook.objects.get_or_create(
            name=prices.name, defaults={"currency": prices.currency, "charge_mode": prices.charge_mode}
        )
        PriceBook.objects.select_for_update().get(pk=book.pk)
        latest = book.versions.order_by("-number").first()
        if latest is not None and latest.digest == prices.digest and latest == _newest():
            return f"{book.name} r{latest.number}"
        version = PriceVersion.objects.create(
            book=book,
            number=latest.number + 1 if latest else 1,
            digest=prices.digest,
            valid_from_ms=now_ms if PriceVersion.objects.exists() else 0,
            source=prices.source,
            example=prices.example,
            bills_proxy=prices.bills_proxy,
            charge_mode=prices.charge_mode,
            blend_ppm=prices.blend_ppm,
            facts=dict(prices.facts),
            created_ms=now_ms,
        )
        PriceRate.objects.bulk_create(_row(version, line) for line in prices.lines)
    return f"{book.name} r{version.number}"


def _newest() -> PriceVersion | None:
    """The version in force, of whichever book."""
    return PriceVersion.objects.select_related("book").order_by("-valid_from_ms", "-number").first()


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
