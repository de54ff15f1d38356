"""What would change if these prices were in force? The quantities of the past at both prices. Nothing is written.

An estimate for deciding, exact in its own terms: each account of the period is priced again by the
ratio of the new to the old rate of its capability, on devices as they are now.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Sum

from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.selectors import projects_of
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.pricing import rates_of
from costing.pricing.charging import charged
from costing.selectors.prices import Prices, known_prices
from costing.services.lists import PriceList
from profiles.dimensions import POWER
from scheduling.selectors.answers import Supply
from scheduling.selectors.metering import supplies

Rates = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class KindChange:
    """An hour of one kind of device, before and after; None: not priced."""

    device_type: str
    model: str
    devices: int
    old_nano: int | None
    new_nano: int | None


@dataclass(slots=True)
class ProjectChange:
    """What a project was charged in the period, and would have been."""

    project: str
    old_nano: int = 0
    new_nano: int = 0


@dataclass(slots=True)
class Preview:
    """The new list beside the one in force. `unpriced`: capabilities that would be priced no more."""

    currency: str
    from_ms: int
    to_ms: int
    kinds: list[KindChange] = field(default_factory=list)
    projects: list[ProjectChange] = field(default_factory=list)
    unpriced: list[str] = field(default_factory=list)


def preview_prices(viewer: Viewer, prices: PriceList, *, from_ms: int, to_ms: int) -> Preview:
    """What publishing would change, judged by the hours that overlap [from_ms, to_ms)."""
    devices: dict[str, list[Supply]] = {}
    for supply in supplies(to_ms, to_ms + 1):
        devices.setdefault(supply.device, []).append(supply)
    old = known_prices()
    current = max(old.values(), key=lambda p: p.from_ms, default=None)
    found = Preview(prices.currency, from_ms, to_ms)
    new_rates = _rates(devices, prices)
    found.kinds = _kinds(devices, _rates(devices, current), new_rates)
    old_rates = {version: _rates(devices, p) for version, p in old.items()}
    _reprice(viewer, found, prices, (old, old_rates, new_rates))
    return found


def _kinds(devices: Mapping[str, list[Supply]], old: Rates, new: Rates) -> list[KindChange]:
    seen: dict[tuple[str, str], list[str]] = {}
    for device, mine in devices.items():
        seen.setdefault((mine[0].device_type, mine[0].model), []).append(device)
    return [
        KindChange(*kind, len(every), _hourly(old, every[0]), _hourly(new, every[0]))
        for kind, every in sorted(seen.items())
    ]


def _hourly(rates: Rates, device: str) -> int | None:
    mine = [nano for (name, dimension), nano in rates.items() if name == device and dimension != POWER]
    return sum(mine) if mine else None


def _rates(devices: Mapping[str, list[Supply]], book: Prices | PriceList | None) -> Rates:
    """Nano per hour by (device, capability), and of a kilowatt by device where energy is billed."""
    if book is None:
        return {}
    rates = rates_of(book.lines, [supply for mine in devices.values() for supply in mine])
    return rates | ({(device, POWER): book.energy.nano_per_hour for device in devices} if book.energy else {})


def _reprice(
    viewer: Viewer,
    found: Preview,
    prices: PriceList,
    known: tuple[Mapping[UUID, Prices], Mapping[UUID, Rates], Rates],
) -> None:
    old, old_rates, new_rates = known
    projects = {p.id: ProjectChange(p.name) for p in projects_of(viewer)}
    rows = (
        LedgerEntry.objects.filter(
            project_id__in=projects, hour_ms__gt=found.from_ms - HOUR_MS, hour_ms__lt=found.to_ms
        )
        .values_list("project_id", "device", "dimension", "bucket", "price_version_id")
        .annotate(nano=Sum("nano"))
    )
    lost = set()
    for project_id, device, dimension, bucket, version, nano in rows:
        before = old_rates[version].get((device, dimension), 0)
        after = new_rates.get((device, dimension))
        if after is None:
            lost.add(dimension)
        worth = int(nano) * (after or 0) // before if before else 0
        projects[project_id].old_nano += old[version].charged(bucket, int(nano))
        projects[project_id].new_nano += charged(bucket, worth, prices.charge_mode, prices.blend_ppm)
    found.projects, found.unpriced = list(projects.values()), sorted(lost)
