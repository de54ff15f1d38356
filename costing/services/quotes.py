"""Answer what scheduling asks about money (scheduling.ports.PriceQuotes)."""

from collections.abc import Callable, Collection

from alldata.kernel import clock
from costing.errors import NoPriceBook
from costing.pricing import rates_of
from costing.selectors.prices import prices_at
from scheduling.ports import Rate
from scheduling.selectors.metering import supplies

DEFAULT_CURRENCY = "CNY"


class BookQuotes:
    """Quotes from the same book and by the same rule as the ledger, so a forecast can come true."""

    def __init__(self, now_ms: Callable[[], int] = clock.now_ms) -> None:
        self._now_ms = now_ms

    def rates(self, devices: Collection[str]) -> list[Rate]:
        """Rates in force; a device without a price is absent, not free."""
        now_ms = self._now_ms()
        try:
            prices = prices_at(now_ms)
        except NoPriceBook:
            return []
        known = supplies(now_ms, now_ms + 1, devices=devices)
        if any(supply.part_of for supply in known):  # a part costs its share of the card, so all of the card is asked
            known = supplies(now_ms, now_ms + 1)
        rates, wanted = rates_of(prices.lines, known), set(devices)
        return [Rate(*spot, nano) for spot, nano in sorted(rates.items()) if spot[0] in wanted]

    def edition(self) -> str:
        """The version of the book in force."""
        try:
            return str(prices_at(self._now_ms()).version_id)
        except NoPriceBook:
            return ""

    def currency(self) -> str:
        """The currency of the book in force."""
        try:
            return prices_at(self._now_ms()).currency
        except NoPriceBook:
            return DEFAULT_CURRENCY
