"""What does an hour of a device cost? Pure: price lines, own machines, cloud lists, charge modes, exchange."""

from costing.pricing.lines import PriceLine, capability_rates, device_rate, line_for

__all__ = ["PriceLine", "capability_rates", "device_rate", "line_for"]
