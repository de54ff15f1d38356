"""Which prices are in force, and from when? Platform-internal."""

from dataclasses import dataclass
from uuid import UUID

from costing.errors import NoPriceBook
from costing.models import PriceVersion
from costing.pricing import PriceLine
from costing.pricing.charging import charged
from costing.pricing.own import Power

EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class Prices:
    """One version of the book. `until_ms` None: still in force."""

    version_id: UUID
    name: str
    currency: str
    charge_mode: str
    blend_ppm: int
    source: str
    example: bool
    bills_proxy: bool
    from_ms: int
    until_ms: int | None
    lines: tuple[PriceLine, ...]
    energy: Power | None = None  # None: what is drawn costs nothing of its own

    def charged(self, bucket: str, nano: int) -> int:
        """What is charged of one account of one hour."""
        return charged(bucket, nano, self.charge_mode, self.blend_ppm)


def price_history() -> list[Prices]:
    """Every version of the book, oldest first; each ends where the next begins. Errors: NoPriceBook."""
    rows = list(PriceVersion.objects.select_related("book").prefetch_related("rates").order_by("valid_from_ms"))
    if not rows:
        raise NoPriceBook
    ends = [row.valid_from_ms for row in rows[1:]]
    return [_prices(row, until_ms) for row, until_ms in zip(rows, [*ends, None], strict=True)]


def known_prices() -> dict[UUID, Prices]:
    """Every version by its id; none is no error here."""
    return {p.version_id: p for p in price_history()} if PriceVersion.objects.exists() else {}


def prices_at(at_ms: int) -> Prices:
    """The version in force at a moment. Errors: NoPriceBook."""
    found = [prices for prices in price_history() if prices.from_ms <= at_ms]
    if not found:
        raise NoPriceBook
    return found[-1]


def _prices(row: PriceVersion, until_ms: int | None) -> Prices:
    return Prices(
        version_id=row.id,
        name=f"{row.book.name} r{row.number}",
        currency=row.book.currency,
        charge_mode=row.charge_mode,
        blend_ppm=row.blend_ppm,
        source=row.source,
        example=row.example,
        bills_proxy=row.bills_proxy,
        from_ms=row.valid_from_ms,
        until_ms=until_ms,
        lines=tuple(
            PriceLine(r.device_type, r.model, r.basis, r.per_amount, r.nano_per_hour, r.weights)
            for r in row.rates.all()
        ),
        energy=Power(**energy) if (energy := row.facts.get("energy")) else None,
    )
