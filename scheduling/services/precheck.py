"""Before submitting: does it fit now, when would it finish, at what price, and is that in time?

The same planner on the same kind of snapshot as the real decision; nothing is written.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from alldata.kernel.ids import uuid7
from alldata.tenancy.viewer import Viewer
from scheduling.crater.model import Placement, Refusal, Runtime
from scheduling.crater.plan import plan
from scheduling.models import Job
from scheduling.ports import PriceQuotes
from scheduling.services.checking import Checked, check
from scheduling.services.commands import SubmitCommand
from scheduling.services.recording import as_plain
from scheduling.snapshot import build_snapshot, request_of, waiting_requests

#: Below this chance of being on time the pre-check warns.
AT_RISK_BELOW = 0.9


@dataclass(frozen=True, slots=True)
class PreCheck:
    """The answer; exactly one of `placement` and `refusal` is set. Missing forecasts are None."""

    fits: bool
    currency: str
    placement: dict[str, Any] | None = None
    refusal: dict[str, Any] | None = None
    predicted_ms: int | None = None
    p90_ms: int | None = None
    finish_ms: int | None = None
    on_time: float | None = None
    cost_nano: int | None = None
    cost_high_nano: int | None = None
    forecast_source: str = ""
    runs: int = 0
    warnings: tuple[str, ...] = field(default_factory=tuple)

    def as_promise(self) -> dict[str, Any]:
        """What is kept on the job as the promise made at submit."""
        names = ("finish_ms", "on_time", "cost_nano", "predicted_ms", "p90_ms", "forecast_source")
        return {name: getattr(self, name) for name in names}


def precheck(viewer: Viewer, command: SubmitCommand, *, prices: PriceQuotes, now_ms: int) -> PreCheck:
    """Check the command as a submission would, then ask the planner. Errors as in submit_job."""
    return forecast(check(viewer, command, now_ms=now_ms), prices=prices, now_ms=now_ms)


def forecast(checked: Checked, *, prices: PriceQuotes, now_ms: int) -> PreCheck:
    """The planner's answer for a command that passed every rule."""
    job = Job(
        id=uuid7(),
        project_id=checked.project.id,
        submitted_ms=now_ms,
        number=0,
        **checked.columns,
    )
    request = request_of(job)
    queue = [*waiting_requests(), request]
    snapshot = build_snapshot(prices=prices, now_ms=now_ms, queue=queue)
    decided = plan(snapshot)
    for placement in decided.placements:
        if placement.job == str(job.pk):
            return _fits(placement, job, snapshot.currency, request.runtime, now_ms)
    refusal = next(r for r in decided.refusals if r.job == str(job.pk))
    return _waits(refusal, snapshot.currency, checked.pinned.notices)


def _fits(placement: Placement, job: Job, currency: str, runtime: Runtime | None, now_ms: int) -> PreCheck:
    median, slow, nano = placement.predicted_ms, placement.predicted_p90_ms, placement.predicted_nano
    high = nano * slow // median if nano is not None and median and slow else None
    return PreCheck(
        fits=True,
        currency=currency,
        placement=as_plain(placement),
        predicted_ms=median,
        p90_ms=slow,
        finish_ms=now_ms + median if median is not None else None,
        on_time=placement.on_time,
        cost_nano=nano,
        cost_high_nano=high,
        forecast_source=runtime.source if runtime else "",
        runs=runtime.runs if runtime else 0,
        warnings=(*job.notices, *_warnings(placement, job, high, runtime)),
    )


def _warnings(placement: Placement, job: Job, high: int | None, runtime: Runtime | None) -> Iterator[str]:
    """Codes of what could still go wrong."""
    if placement.on_time is not None and placement.on_time < AT_RISK_BELOW:
        yield "deadline_at_risk"
    if high is not None and job.cap_nano is not None and high > job.cap_nano:
        yield "cap_at_risk"
    if runtime is not None and runtime.source == "declared":
        yield "no_history"


def _waits(refusal: Refusal, currency: str, notices: tuple[str, ...]) -> PreCheck:
    code = "waits" if refusal.possible else "impossible"
    return PreCheck(fits=False, currency=currency, refusal=as_plain(refusal), warnings=(*notices, code))
