"""Answer what scheduling asks about money (scheduling.ports.PriceQuotes)."""

from collections.abc import Callable, Collection, Mapping

from alldata.kernel import clock
from costing.errors import NoPriceBook
from costing.pricing import capability_rates, line_for
from costing.selectors.prices import prices_at
from scheduling.ports import Offer, Rate

DEFAULT_CURRENCY = "CNY"


class BookQuotes:
    """Quotes from the same book and by the same rule as the ledger, so a forecast can come true."""

    def __init__(self, now_ms: Callable[[], int] = clock.now_ms) -> None:
        self._now_ms = now_ms

    def rates(self, devices: Collection[Offer]) -> list[Rate]:
        """Rates in force; a device without a price is absent, not free. Equal devices are rated once."""
        try:
            lines = prices_at(self._now_ms()).lines
        except NoPriceBook:
            return []
        known: dict[object, Mapping[str, int]] = {}
        found = []
        for offer in devices:
            kind = (offer.type, offer.model, frozenset(offer.capacity.items()))
            if kind not in known:
                line = line_for(lines, offer.type, offer.model)
                has = {name: value for name, value in offer.capacity.items() if value}
                known[kind] = capability_rates(line, has) if line else {}
            found += [Rate(offer.device, dimension, nano) for dimension, nano in known[kind].items()]
        return found

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
