"""The planner's answer about one job, with what can be foretold of it.

`View` is what was looked at: the cluster, and the past of those who ask. The place is free now, or will be later.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from alldata.kernel.intervals import HOUR_MS
from scheduling.crater.model import Pick, Placement, Refusal
from scheduling.crater.outlook import Start
from scheduling.crater.scene import Scene
from scheduling.crater.scores import per_hour
from scheduling.crater.unit_slip import UnitSlip
from scheduling.models import Job
from scheduling.services.answer import PreCheck
from scheduling.services.evidence import Evidence
from scheduling.services.foresight import Foresight
from scheduling.services.recording import as_plain

#: Below this chance of being on time the pre-check warns.
AT_RISK_BELOW = 0.9


@dataclass(frozen=True, slots=True)
class View:
    """When, at what prices, and on which evidence."""

    now_ms: int
    scene: Scene
    evidence: Evidence

    @property
    def currency(self) -> str:
        return self.scene.snapshot.currency


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why it cannot start now, and when it could: the expected start and a late one, where they can be told."""

    refusal: Refusal
    slips: tuple[UnitSlip, ...]
    soon: Start | None = None
    late: Start | None = None


def free_now(placement: Placement, job: Job, view: View) -> PreCheck:
    """The forecast of a place that is free now."""
    expected = _expected(placement.picks, job, view, (view.now_ms, view.now_ms))
    found = PreCheck(fits=True, currency=view.currency, starts_in_ms=0, starts_in_p90_ms=0, **expected)
    members = tuple(_timed(member, found) for member in placement.members)
    said = replace(_timed(placement, found), members=members, predicted_nano=found.cost_nano)
    return replace(found, placement=as_plain(said), warnings=(*job.notices, *_warnings(found, job)))


def _timed(placement: Placement, found: PreCheck) -> Placement:
    return replace(placement, predicted_ms=found.predicted_ms, predicted_p90_ms=found.p90_ms, on_time=found.on_time)


def free_later(blocked: Blocked, job: Job, view: View) -> PreCheck:
    """Why it does not fit now, and the forecast of the place it would get."""
    refusal, soon, late = blocked.refusal, blocked.soon, blocked.late
    slips = tuple(asdict(slip) for slip in blocked.slips)
    told = PreCheck(False, view.currency, refusal=as_plain(refusal), unit_slips=slips)
    notices = (*job.notices, "waits" if refusal.possible else "impossible", *(["unit_slip"] if slips else []))
    if soon is None:
        return replace(told, warnings=notices)
    late_ms = late.at_ms if late else None
    found = replace(
        told,
        starts_in_ms=soon.at_ms - view.now_ms,
        starts_in_p90_ms=late_ms - view.now_ms if late_ms is not None else None,
        later_node=", ".join(soon.placement.nodes),
        **_expected(soon.placement.picks, job, view, (soon.at_ms, late_ms)),
    )
    return replace(found, warnings=(*notices, *_warnings(found, job)))


def _expected(picks: Sequence[Pick], job: Job, view: View, starts_ms: tuple[int, int | None]) -> Mapping[str, Any]:
    """Duration, finish, price and chance on these devices, from an expected and a late start."""
    foresight = Foresight(job, now_ms=view.now_ms, evidence=view.evidence)
    runtime = foresight.runtime(picks)
    chance = foresight.chance(runtime, starts_ms[0])
    hourly = per_hour(picks, view.scene) if view.scene.rates else None
    return {
        "predicted_ms": runtime.p50_ms,
        "p90_ms": runtime.p90_ms,
        "finish_ms": starts_ms[0] + runtime.p50_ms,
        "finish_p90_ms": starts_ms[1] + runtime.p90_ms if starts_ms[1] is not None else None,
        "chance": chance.raw if chance else None,
        "on_time": chance.believed if chance else None,
        "calibrated": bool(chance and chance.calibrated),
        "cost_nano": _price(hourly, runtime.p50_ms),
        "cost_high_nano": _price(hourly, runtime.p90_ms),
        "forecast_source": runtime.source,
        "runs": runtime.runs,
    }


def _price(hourly: Fraction | None, lasts_ms: int) -> int | None:
    return None if hourly is None else round(hourly * lasts_ms / HOUR_MS)


def _warnings(found: PreCheck, job: Job) -> Iterator[str]:
    """Codes of what could still go wrong."""
    if found.on_time is not None and found.on_time < AT_RISK_BELOW:
        yield "deadline_at_risk"
    if found.cost_high_nano is not None and job.cap_nano is not None and found.cost_high_nano > job.cap_nano:
        yield "cap_at_risk"
    if found.forecast_source == "declared":
        yield "no_history"
    if found.forecast_source == "roofline":
        yield "other_hardware"
