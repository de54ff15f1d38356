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
from costing.pricing import PriceLine, capability_rates, device_rate, line_for
from costing.pricing.charging import charged
from costing.selectors.prices import Prices, known_prices
from costing.services.lists import PriceList
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
    found.kinds = _kinds(devices, current.lines if current else (), prices.lines)
    new_rates = _rates(devices, prices.lines)
    old_rates = {version: _rates(devices, p.lines) for version, p in old.items()}
    _reprice(viewer, found, prices, (old, old_rates, new_rates))
    return found


def _kinds(
    devices: Mapping[str, list[Supply]], old: tuple[PriceLine, ...], new: tuple[PriceLine, ...]
) -> list[KindChange]:
    seen: dict[tuple[str, str], list[list[Supply]]] = {}
    for mine in devices.values():
        seen.setdefault((mine[0].device_type, mine[0].model), []).append(mine)
    return [
        KindChange(*kind, len(every), _hourly(old, every[0]), _hourly(new, every[0]))
        for kind, every in sorted(seen.items())
    ]


def _hourly(lines: tuple[PriceLine, ...], device: list[Supply]) -> int | None:
    line = line_for(lines, device[0].device_type, device[0].model)
    return device_rate(line, {s.dimension: s.capacity for s in device}) if line else None


def _rates(devices: Mapping[str, list[Supply]], lines: tuple[PriceLine, ...]) -> Rates:
    found = {}
    for device, mine in devices.items():
        line = line_for(lines, mine[0].device_type, mine[0].model)
        rates = capability_rates(line, {s.dimension: s.capacity for s in mine}) if line else {}
        found.update({(device, dimension): nano for dimension, nano in rates.items()})
    return found


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
