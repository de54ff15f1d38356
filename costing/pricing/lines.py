"""What does one hour of a device's capability cost? Parts that sum to the device's rate. Pure.

A price list has one line a kind of device: either a rate for the whole device or a rate per
amount of one capability (per core, per GB), and weights that divide the device's rate between
its capabilities. A capability the device does not have takes no share.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from alldata.kernel.money import hamilton


@dataclass(frozen=True, slots=True)
class PriceLine:
    """The price of one kind of device. `model` "" means any; `basis` "" prices the whole device."""

    device_type: str
    model: str
    basis: str
    per_amount: int
    nano_per_hour: int
    weights: Mapping[str, int]  # capability -> parts per million of the device's rate


def line_for(lines: Iterable[PriceLine], device_type: str, model: str) -> PriceLine | None:
    """The line of the exact model, else of any model of the type, else None (not priced, not free)."""
    fitting = {line.model: line for line in lines if line.device_type == device_type}
    return fitting.get(model, fitting.get(""))


def device_rate(line: PriceLine, capacities: Mapping[str, int]) -> int | None:
    """Nano per hour of the whole device, rounded down; None when its basis is unknown."""
    if not line.basis:
        return line.nano_per_hour
    if line.basis not in capacities:
        return None
    return line.nano_per_hour * capacities[line.basis] // line.per_amount


def capability_rates(line: PriceLine, capacities: Mapping[str, int]) -> dict[str, int]:
    """Nano per hour of each priced capability at full capacity; they sum to the device's rate."""
    rate = device_rate(line, capacities)
    names = sorted(name for name in line.weights if name in capacities)
    if rate is None or not any(line.weights[name] for name in names):
        return {}
    return dict(zip(names, hamilton(rate, [line.weights[name] for name in names]), strict=True))
