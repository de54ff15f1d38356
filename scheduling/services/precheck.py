"""Before submitting: does it fit now, when would it finish, at what price, and is that in time?

The same planner on the same kind of snapshot as the real decision; nothing is written. Durations are those expected
on the devices it would get (foresight.py); what does not fit now is looked for in the future (outlook.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any
from uuid import UUID

from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.viewer import Viewer
from scheduling.crater.model import Pick, Placement, Refusal, Snapshot
from scheduling.crater.scene import Scene
from scheduling.crater.schedule import schedule
from scheduling.crater.scores import per_hour
from scheduling.crater.unit_slip import unit_slips
from scheduling.models import Job
from scheduling.ports import BudgetGate, PriceQuotes, Spend
from scheduling.services.answer import PreCheck
from scheduling.services.checking import Checked, check
from scheduling.services.commands import SubmitCommand
from scheduling.services.foresight import Foresight
from scheduling.services.outlook import starts
from scheduling.services.recording import as_plain
from scheduling.snapshot import build_snapshot, request_of, waiting_requests
from scheduling.standing import Standing

#: Below this chance of being on time the pre-check warns.
AT_RISK_BELOW = 0.9
#: The name under which a job is planned that does not exist: after all others of the same instant, always the same.
NOBODY = UUID(int=2**128 - 1)


def precheck(
    viewer: Viewer, command: SubmitCommand, *, prices: PriceQuotes, budgets: BudgetGate, now_ms: int
) -> PreCheck:
    """Check the command as a submission would, then ask the planner. Errors as in submit_job."""
    checked = check(viewer, command, now_ms=now_ms)
    answer = forecast(checked, prices=prices, now_ms=now_ms)
    spend = Spend(NOBODY, checked.project.id, answer.may_come_to(checked.columns["cap_nano"]))
    short = budgets.shortage(viewer, spend, now_ms=now_ms)
    if short is None:
        return answer
    return replace(answer, shortage=short, warnings=(*answer.warnings, "budget_short"))


def forecast(checked: Checked, *, prices: PriceQuotes, now_ms: int) -> PreCheck:
    """The planner's answer for a command that passed every rule."""
    job = unborn(checked, now_ms=now_ms)
    return answer_of(job, snapshot_with(job, prices=prices, now_ms=now_ms))[0]


def unborn(checked: Checked, *, now_ms: int, name: UUID = NOBODY) -> Job:
    """The job as it would be stored; it is not."""
    return Job(id=name, project_id=checked.project.id, submitted_ms=now_ms, number=0, **checked.columns)


def snapshot_with(job: Job, *, prices: PriceQuotes, now_ms: int) -> Snapshot:
    """The cluster now, and the queue with this job in it."""
    return build_snapshot(prices=prices, now_ms=now_ms, queue=[*waiting_requests(), request_of(job)])


def answer_of(job: Job, snapshot: Snapshot) -> tuple[PreCheck, Snapshot]:
    """What the planner says of one job of the snapshot's queue, and all that it saw to say so."""
    standing = Standing(snapshot.now_ms)
    decided = schedule(snapshot, standing)
    seen = replace(snapshot, running=standing.seen)
    for placement in decided.placements:
        if placement.job == str(job.pk):
            return fits(placement, job, snapshot), seen
    refusal = next(r for r in decided.refusals if r.job == str(job.pk))
    stops = decided.head.stops if decided.head is not None and decided.head.job == refusal.job else ()
    return _waits(refusal, job, replace(seen, running=standing.seen or standing()), stops), seen


def fits(placement: Placement, job: Job, snapshot: Snapshot) -> PreCheck:
    """The forecast of a place that is free now."""
    expected = _expected(placement.picks, job, snapshot, (snapshot.now_ms, snapshot.now_ms))
    found = PreCheck(fits=True, currency=snapshot.currency, starts_in_ms=0, starts_in_p90_ms=0, **expected)
    members = tuple(_timed(member, found) for member in placement.members)
    said = replace(_timed(placement, found), members=members, predicted_nano=found.cost_nano)
    return replace(found, placement=as_plain(said), warnings=(*job.notices, *_warnings(found, job)))


def _timed(placement: Placement, found: PreCheck) -> Placement:
    return replace(placement, predicted_ms=found.predicted_ms, predicted_p90_ms=found.p90_ms, on_time=found.on_time)


def _waits(refusal: Refusal, job: Job, snapshot: Snapshot, stops: Sequence[str]) -> PreCheck:
    request = next(r for r in snapshot.queue if r.job == refusal.job)
    slips = tuple(asdict(slip) for slip in unit_slips(request.needs, snapshot.nodes))
    told = PreCheck(False, snapshot.currency, refusal=as_plain(refusal), unit_slips=slips)
    notices = (*job.notices, "waits" if refusal.possible else "impossible", *(["unit_slip"] if slips else []))
    soon, late = starts(snapshot, refusal.job, stops=stops) if refusal.possible else (None, None)
    if soon is None:
        return replace(told, warnings=notices)
    late_ms = late.at_ms if late else None
    found = replace(
        told,
        starts_in_ms=soon.at_ms - snapshot.now_ms,
        starts_in_p90_ms=late_ms - snapshot.now_ms if late_ms is not None else None,
        later_node=", ".join(soon.placement.nodes),
        **_expected(soon.placement.picks, job, snapshot, (soon.at_ms, late_ms)),
    )
    return replace(found, warnings=(*notices, *_warnings(found, job)))


def _expected(
    picks: Sequence[Pick], job: Job, snapshot: Snapshot, starts_ms: tuple[int, int | None]
) -> Mapping[str, Any]:
    """Duration, finish, price and chance on these devices, from an expected and a late start."""
    foresight = Foresight(job, now_ms=snapshot.now_ms)
    runtime = foresight.runtime(picks)
    chance = foresight.chance(runtime, starts_ms[0])
    scene = Scene(snapshot)
    hourly = per_hour(picks, scene) if scene.rates else None
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
