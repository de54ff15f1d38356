"""Before submitting: does it fit now, when would it finish, at what price, and is that in time?

The same planner on the same kind of snapshot as the real decision; nothing is written. Durations are those expected
on the devices it would get (foresight.py); what does not fit now is looked for in the future (outlook.py).
"""

from dataclasses import replace
from uuid import UUID

from alldata.tenancy.viewer import Viewer
from scheduling.crater.model import Placement, Snapshot
from scheduling.crater.scene import Scene
from scheduling.crater.schedule import schedule
from scheduling.crater.unit_slip import unit_slips
from scheduling.models import Job
from scheduling.ports import BudgetGate, PriceQuotes, Spend
from scheduling.services.answer import PreCheck
from scheduling.services.checking import Checked, check
from scheduling.services.commands import SubmitCommand
from scheduling.services.evidence import Evidence
from scheduling.services.outlook import starts
from scheduling.services.telling import Blocked, View, free_later, free_now
from scheduling.snapshot import build_snapshot, request_of, waiting_requests
from scheduling.standing import Standing

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
    found, seen = turn_of(str(job.pk), snapshot)
    view = _view(snapshot)
    return free_now(found, job, view) if isinstance(found, Placement) else free_later(found, job, view), seen


def turn_of(job: str, snapshot: Snapshot) -> tuple[Placement | Blocked, Snapshot]:
    """The outcome of a whole round for one job of the queue, and all that was seen."""
    standing = Standing(snapshot.now_ms)
    decided = schedule(snapshot, standing)
    seen = replace(snapshot, running=standing.seen)
    for placement in decided.placements:
        if placement.job == job:
            return placement, seen
    refusal = next(r for r in decided.refusals if r.job == job)
    stops = decided.head.stops if decided.head is not None and decided.head.job == job else ()
    seen = replace(seen, running=standing.seen or standing())
    needs = next(r.needs for r in snapshot.queue if r.job == job)
    soon, late = starts(seen, job, stops=stops) if refusal.possible else (None, None)
    return Blocked(refusal, unit_slips(needs, snapshot.nodes), soon, late), seen


def fits(placement: Placement, job: Job, snapshot: Snapshot) -> PreCheck:
    """The forecast of a place that is free for this job."""
    return free_now(placement, job, _view(snapshot))


def _view(snapshot: Snapshot) -> View:
    return View(snapshot.now_ms, Scene(snapshot), Evidence(now_ms=snapshot.now_ms))
