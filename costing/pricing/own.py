"""What does an hour of a machine of our own cost? Depreciation, a share of the room, and energy. Pure.

    rate = depreciation of the month / in-service hours + (rack + network + staff) / in-service hours

Divided by in-service hours, never by used hours: that would bury idle time in the price.
Every schedule sums to capex - salvage exactly.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from alldata.kernel.money import hamilton

Method = Literal["straight", "declining", "sum_of_years"]
PPM = 1_000_000
MILLIJOULES_PER_KWH = 3_600_000_000
#: A kilowatt, in the base unit of power.
KILOWATT = 1_000_000


@dataclass(frozen=True, slots=True)
class Asset:
    """What was paid for a device, what is left of it at the end, and how long it serves."""

    capex_nano: int
    salvage_nano: int
    life_months: int
    method: Method = "straight"


@dataclass(frozen=True, slots=True)
class Running:
    """What a device costs each month beside its purchase, and the hours it serves in a month."""

    rack_nano: int = 0
    network_nano: int = 0
    staff_nano: int = 0
    hours: int = 730

    @property
    def monthly_nano(self) -> int:
        return self.rack_nano + self.network_nano + self.staff_nano


@dataclass(frozen=True, slots=True)
class Power:
    """`pue_ppm`: energy of the whole room per energy of the machines, in parts per million."""

    pue_ppm: int
    nano_per_kwh: int

    @property
    def nano_per_hour(self) -> int:
        """What a kilowatt costs an hour, the room included; rounded half up, for show."""
        return (2 * self.pue_ppm * self.nano_per_kwh + PPM) // (2 * PPM)


def schedule(asset: Asset) -> list[int]:
    """Depreciation by month in nano; sums to capex - salvage, none negative."""
    months, base = asset.life_months, asset.capex_nano - asset.salvage_nano
    if months < 1 or base < 0:
        raise ValueError("a life of at least one month and a salvage of at most the capex")
    return _METHODS[asset.method](base, months)


def _straight(base: int, months: int) -> list[int]:
    marks = [base * month // months for month in range(months + 1)]
    return [after - before for before, after in pairwise(marks)]


def _sum_of_years(base: int, months: int) -> list[int]:
    years = -(-months // 12)
    return hamilton(base, [years - month // 12 for month in range(months)])


def _declining(base: int, months: int) -> list[int]:
    """Twice the straight rate of what is left, then straight once that is more."""
    left, found = base, []
    for month in range(months):
        part = max(2 * left // months, left // (months - month))
        found.append(part if month < months - 1 else left)
        left -= found[-1]
    return found


_METHODS: Mapping[str, Callable[[int, int], list[int]]] = {
    "straight": _straight,
    "declining": _declining,
    "sum_of_years": _sum_of_years,
}


def own_rate(asset: Asset, running: Running, *, month: int = 0) -> int:
    """Nano per in-service hour of the device in its month of life (0 first), rounded half up."""
    months = schedule(asset)
    worn = months[month] if month < len(months) else 0
    return (2 * (worn + running.monthly_nano) + running.hours) // (2 * running.hours)


def energy_nano(millijoules: int, power: Power) -> int:
    """The price of measured energy, rounded half up. A usage price: no idle, no rate per hour."""
    return used_nano(millijoules * 1000, power)


def used_nano(microjoules: int, power: Power) -> int:
    """The same of an integral as it is metered: mW x ms is microjoules."""
    exact = microjoules * power.pue_ppm * power.nano_per_kwh
    whole = 1000 * MILLIJOULES_PER_KWH * PPM
    return (2 * exact + whole) // (2 * whole)


def power_rate(milliwatts: int, power: Power) -> int:
    """Nano per hour of a device whose measured mean power is known: mW x 3600 s is mJ in an hour."""
    return energy_nano(milliwatts * 3600, power)
