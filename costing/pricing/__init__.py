"""What does an hour of a device cost? Pure: price lines, own machines, cloud lists, charge modes, exchange."""

from costing.pricing.cards import Rated, Stranded, card_of, card_rates, rates_of
from costing.pricing.lines import PriceLine, capability_rates, device_rate, line_for

__all__ = [
    "PriceLine",
    "Rated",
    "Stranded",
    "capability_rates",
    "card_of",
    "card_rates",
    "device_rate",
    "line_for",
    "rates_of",
]
