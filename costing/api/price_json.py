"""Price versions and previews as JSON; amounts are per hour."""

from dataclasses import asdict

from alldata.kernel.money import Money
from costing.selectors.prices import Prices
from costing.services.preview import Preview


def version_json(prices: Prices) -> dict[str, object]:
    """One version with its lines; amounts are per hour."""
    return {
        "version": prices.name,
        "currency": prices.currency,
        "charge_mode": prices.charge_mode,
        "blend_ppm": prices.blend_ppm,
        "source": prices.source,
        "example": prices.example,
        "from_timestamp": prices.from_ms,
        "until_timestamp": prices.until_ms,
        "lines": [
            {**asdict(line), "nano_per_hour": str(line.nano_per_hour), "weights": dict(line.weights)}
            for line in prices.lines
        ],
    }


def preview_json(found: Preview) -> dict[str, object]:
    """The answer of `POST /api/v1/cost/prices/preview`."""

    def money(nano: int | None) -> dict[str, str] | None:
        return None if nano is None else Money(nano, found.currency).as_json()

    return {
        "start_timestamp": found.from_ms,
        "end_timestamp": found.to_ms,
        "kinds": [
            {
                "type": kind.device_type,
                "model": kind.model,
                "devices": kind.devices,
                "old_hourly": money(kind.old_nano),
                "new_hourly": money(kind.new_nano),
            }
            for kind in found.kinds
        ],
        "projects": [
            {"project": p.project, "old": money(p.old_nano), "new": money(p.new_nano)} for p in found.projects
        ],
        "unpriced": found.unpriced,
    }
