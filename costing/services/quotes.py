"""Answer what scheduling asks about money (scheduling.ports.PriceQuotes)."""

from collections.abc import Callable, Collection

from alldata.kernel import clock
from costing.errors import NoPriceBook
from costing.pricing import capability_rates, line_for
from costing.selectors.prices import prices_at
from scheduling.ports import Rate
from scheduling.selectors.answers import Supply
from scheduling.selectors.metering import supplies

DEFAULT_CURRENCY = "CNY"


class BookQuotes:
    """Quotes from the same book and by the same rule as the ledger, so a forecast can come true."""

    def __init__(self, now_ms: Callable[[], int] = clock.now_ms) -> None:
        self._now_ms = now_ms

    def rates(self, devices: Collection[str]) -> list[Rate]:
        """Rates in force; a device without a price is absent, not free."""
        now_ms, wanted = self._now_ms(), set(devices)
        try:
            prices = prices_at(now_ms)
        except NoPriceBook:
            return []
        by_device: dict[str, list[Supply]] = {}
        for supply in supplies(now_ms, now_ms + 1):
            if supply.device in wanted:
                by_device.setdefault(supply.device, []).append(supply)
        found = []
        for device, mine in sorted(by_device.items()):
            line = line_for(prices.lines, mine[0].device_type, mine[0].model)
            rates = capability_rates(line, {s.dimension: s.capacity for s in mine}) if line else {}
            found += [Rate(device, dimension, nano) for dimension, nano in rates.items()]
        return found

    def currency(self) -> str:
        """The currency of the book in force."""
        try:
            return prices_at(self._now_ms()).currency
        except NoPriceBook:
            return DEFAULT_CURRENCY
