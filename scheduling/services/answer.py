"""What does a pre-check say? One value for the form, the API, the promise kept on a job and the money set aside."""

from dataclasses import dataclass, field
from typing import Any

from scheduling.ports import Shortage


@dataclass(frozen=True, slots=True)
class PreCheck:
    """The answer; exactly one of `placement` and `refusal` is set. Missing forecasts are None.

    For what does not fit now, `starts_in_ms` and the forecast are those of the place it would get later (`later_node`).
    """

    fits: bool
    currency: str
    placement: dict[str, Any] | None = None
    refusal: dict[str, Any] | None = None
    starts_in_ms: int | None = None
    starts_in_p90_ms: int | None = None
    later_node: str = ""
    predicted_ms: int | None = None
    p90_ms: int | None = None
    finish_ms: int | None = None
    finish_p90_ms: int | None = None
    chance: float | None = None  # as computed; `on_time` is corrected by outcomes
    on_time: float | None = None
    calibrated: bool = False
    cost_nano: int | None = None
    cost_high_nano: int | None = None
    forecast_source: str = ""
    runs: int = 0
    unit_slips: tuple[dict[str, Any], ...] = ()
    shortage: Shortage | None = None
    warnings: tuple[str, ...] = field(default_factory=tuple)

    def as_promise(self) -> dict[str, Any]:
        """What is kept on the job as the promise made at submit."""
        names = ("finish_ms", "on_time", "chance", "cost_nano", "predicted_ms", "p90_ms", "forecast_source")
        return {name: getattr(self, name) for name in names} | {"warnings": list(self.warnings)}

    def may_come_to(self, cap_nano: int | None) -> int:
        """What is set aside: the high forecast, never more than the job's own cap; 0 when nothing can be told."""
        known = [nano for nano in (self.cost_high_nano or self.cost_nano, cap_nano) if nano is not None]
        return min(known, default=0)
