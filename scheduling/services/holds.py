"""Start a job on the place that was held for it.

Use, release and expiry (services/expiring.py) lock the Hold row, so exactly one of them wins; a stop through the job
itself (services/cancellation.py) is decided by the job's row. Nothing here launches anything: the driver does.
"""

from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction
from django.db.models import F

from alldata.kernel.events import JobMoved
from alldata.outbox.publish import publish
from alldata.tenancy.viewer import Viewer
from scheduling.crater.model import Placement
from scheduling.errors import BadField, RequestReused, ReservationOver
from scheduling.lifecycle import JobState
from scheduling.models import Attempt, Hold, Job
from scheduling.ports import BudgetGate, PriceQuotes, Spend
from scheduling.selectors.answers import JobRow
from scheduling.selectors.holds import EXPIRED, RELEASED, USED, find_hold, hold_view_of
from scheduling.selectors.rows import job_row_of
from scheduling.services.answer import PreCheck
from scheduling.services.checking import Checked, check
from scheduling.services.commands import SubmitCommand
from scheduling.services.precheck import fits, unborn
from scheduling.services.replay import restored
from scheduling.services.submission import (
    announce,
    earlier_job,
    project_to_fill,
    refuse_hopeless,
    same_or_refuse,
    submit_job,
)
from scheduling.services.waking import wake_driver
from scheduling.snapshot import build_snapshot


@dataclass(frozen=True, slots=True)
class _Use:
    """What becomes of a held place."""

    viewer: Viewer
    command: SubmitCommand
    checked: Checked
    answer: PreCheck


def start_job(
    viewer: Viewer, command: SubmitCommand, *, prices: PriceQuotes, budgets: BudgetGate, now_ms: int
) -> JobRow:
    """Submit a job: into the queue, or on the held place that it names. Errors: as submit_job and submit_on_hold."""
    submit = submit_job if command.reservation is None else submit_on_hold
    return submit(viewer, command, prices=prices, budgets=budgets, now_ms=now_ms)


def submit_on_hold(
    viewer: Viewer, command: SubmitCommand, *, prices: PriceQuotes, budgets: BudgetGate, now_ms: int
) -> JobRow:
    """Start a job on exactly the place that was held. Errors: as submit_job; ReservationNotFound, ReservationOver."""
    project = project_to_fill(viewer, command, "submit jobs to this project")
    if earlier := earlier_job(project, command):
        return earlier
    hold = find_hold(viewer, command.reservation or "")
    if hold.project_id != project.id:
        raise BadField("project", project.slug, "the place was reserved for another project")
    checked = check(viewer, _as_reserved(hold, command), now_ms=now_ms)
    checked.columns["digest"] = command.digest()
    placement = restored(Placement, hold_view_of(hold).placement)
    answer = fits(
        placement,
        unborn(checked, now_ms=now_ms, name=hold.job_id),
        build_snapshot(prices=prices, now_ms=now_ms, queue=()),
    )
    refuse_hopeless(checked, answer)
    try:
        return _used(hold, _Use(viewer, command, checked, answer), budgets=budgets, now_ms=now_ms)
    except IntegrityError:
        raise RequestReused(command.request_id) from None


def _as_reserved(hold: Hold, command: SubmitCommand) -> SubmitCommand:
    """The command asking for what the place was reserved for. Errors: BadField when it says otherwise."""
    asked = hold.asked
    known = str(asked.get("profile", ""))
    if command.legacy_gpu is not None or command.profile not in ("", known, known.partition("@")[0]):
        expected = f"leave it out, the place was reserved for {known or hold.job.profile_name}"
        raise BadField("profile", command.profile or "gpu", expected)
    if command.mode not in ("", asked.get("mode", "")):
        raise BadField("mode", command.mode, f"leave it out, the place was reserved for {asked.get('mode') or 'none'}")
    return replace(command, **asked)


def _used(hold: Hold, use: _Use, *, budgets: BudgetGate, now_ms: int) -> JobRow:
    command = use.command
    with transaction.atomic():
        held = Hold.objects.select_for_update().get(pk=hold.pk)
        if held.used_ms is not None:
            return _used_before(held, command)
        if held.until_ms <= now_ms:
            raise ReservationOver(str(hold.pk), EXPIRED)
        free = Job.objects.filter(pk=held.job_id, state=JobState.ADMITTED, stop_requested="")
        changes = use.checked.columns | {
            "request_id": command.request_id,
            "submitted_by": use.viewer.name,
            "promise": use.answer.as_promise(),
            "reason": "",
            "reason_facts": {},
            "changed_ms": now_ms,
            "rev": F("rev") + 1,
        }
        if not free.update(**changes):
            raise ReservationOver(str(hold.pk), RELEASED)
        placement = use.answer.placement or {}
        for number, part in enumerate(placement["members"] or [placement]):
            Attempt.objects.filter(job_id=held.job_id, member=number).update(placement=part)
        Hold.objects.filter(pk=held.pk).update(used_ms=now_ms)
        row = Job.objects.select_related("project").get(pk=held.job_id)
        spend = Spend(row.pk, row.project_id, use.answer.may_come_to(row.cap_nano))
        budgets.reserve(use.viewer, spend, now_ms=now_ms)
        announce(use.viewer, row, now_ms=now_ms)
        publish(JobMoved(str(row.pk), str(row.project_id), JobState.ADMITTED.value, now_ms), now_ms=now_ms)
        transaction.on_commit(wake_driver, robust=True)
    return job_row_of(row)


def _used_before(held: Hold, command: SubmitCommand) -> JobRow:
    """Two callers of one request meet here; another request finds the place gone."""
    row = Job.objects.select_related("project").get(pk=held.job_id)
    if row.request_id != command.request_id:
        raise ReservationOver(str(held.pk), USED)
    return same_or_refuse(row, command)
