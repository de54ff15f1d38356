"""Take a job into the queue, once per request id, or say exactly why not.

The rules are in services/checking.py, the promise comes from services/precheck.py. Money is set aside in the same
transaction. A job that names a reservation starts on the place held for it (services/holds.py). Next: what a
queued job waits for is decided in services/placement.py.
"""

from django.db import IntegrityError, transaction

from alldata.kernel.errors import AllDataError
from alldata.kernel.events import JobSubmitted
from alldata.outbox.publish import publish
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.errors import MayNot
from alldata.tenancy.selectors import ProjectView, project_view
from alldata.tenancy.viewer import Viewer
from scheduling.crater.gang_why import NODES
from scheduling.errors import DeadlineUnmeetable, RequestReused, TooFewMachines
from scheduling.models import Job
from scheduling.ports import BudgetGate, PriceQuotes, Spend
from scheduling.selectors.answers import JobRow
from scheduling.selectors.rows import job_row_of
from scheduling.services.answer import PreCheck
from scheduling.services.checking import Checked, check
from scheduling.services.commands import SubmitCommand
from scheduling.services.joining import join_queue
from scheduling.services.precheck import forecast
from scheduling.services.sight import sight_of

#: A hard deadline is refused below this chance; a first guess refuses nothing.
HOPELESS_BELOW = 0.02
GUESSED = frozenset({"declared", ""})


def submit_job(
    viewer: Viewer, command: SubmitCommand, *, prices: PriceQuotes, budgets: BudgetGate, now_ms: int
) -> JobRow:
    """Queue a job; repeating a request returns the first job. Errors: scheduling.errors, and a spent budget's.

    Most requests are new, so it is tried first; the job of a repeated one is looked for where that fails.
    """
    project = project_to_fill(viewer, command, "submit jobs to this project")
    try:
        checked = check(viewer, command, now_ms=now_ms)
        sight = sight_of(prices, now_ms=now_ms)
        job, answer = sight.forecast(checked, now_ms=now_ms)
        if refusal_of(checked, answer) is not None:  # a sight may be some moments old: it refuses nothing
            answer = forecast(checked, prices=prices, now_ms=now_ms)
            refuse_hopeless(checked, answer)
        row = _queued(viewer, job, answer, budgets=budgets, now_ms=now_ms)
    except (AllDataError, IntegrityError):
        if earlier := earlier_job(project, command):
            return earlier
        raise
    sight.joined(job)
    return row


def _queued(viewer: Viewer, job: Job, answer: PreCheck, *, budgets: BudgetGate, now_ms: int) -> JobRow:
    """Job, money, fact and audit in one transaction; what others must wait for (money, number) comes last."""
    job.submitted_by, job.changed_ms, job.promise = viewer.name, now_ms, answer.as_promise()
    with transaction.atomic():
        publish(JobSubmitted(str(job.pk), str(job.project_id)), now_ms=now_ms)
        budgets.reserve(viewer, Spend(job.pk, job.project_id, answer.may_come_to(job.cap_nano)), now_ms=now_ms)
        join_queue(job)
        audit(viewer, job, now_ms=now_ms)
    return job_row_of(job)


def project_to_fill(viewer: Viewer, command: SubmitCommand, deed: str) -> ProjectView:
    """The command's project, for one who may put work into it. Errors: ProjectNotFound, MayNot the deed."""
    found = project_view(viewer, command.project)
    if not viewer.may_submit(found.id):
        raise MayNot(deed)
    return found


def announce(viewer: Viewer, row: Job, *, now_ms: int) -> None:
    """The fact and the audit entry of a submission. Call in its transaction."""
    publish(JobSubmitted(str(row.pk), str(row.project_id)), now_ms=now_ms)
    audit(viewer, row, now_ms=now_ms)


def audit(viewer: Viewer, row: Job, *, now_ms: int) -> None:
    """Who submitted what."""
    pinned = {"profile": f"{row.profile_name}@{row.profile_version}"}
    record(viewer, Deed("job.submit", f"J-{row.number}", row.project_id, pinned), now_ms=now_ms)


def refusal_of(checked: Checked, answer: PreCheck) -> AllDataError | None:
    """What keeps it from being queued, by this answer: too few machines for its members, however idle; or a hard

    deadline that is sure to be missed (a soft one is only warned of).
    """
    if answer.refusal is not None and not answer.refusal["possible"] and answer.refusal["nearest"]["rule"] == NODES:
        return TooFewMachines(answer.refusal["nearest"]["need"], answer.refusal["nearest"]["have"])
    deadline_ms = checked.columns["deadline_ms"]
    if deadline_ms is None or checked.columns["deadline_policy"] != "hard":
        return None
    if answer.refusal is not None and not answer.refusal["possible"]:
        return DeadlineUnmeetable(None, 0.0, "")
    if answer.on_time is None or answer.finish_ms is None or answer.forecast_source in GUESSED:
        return None
    if answer.on_time >= HOPELESS_BELOW:
        return None
    return DeadlineUnmeetable(max(0, answer.finish_ms - deadline_ms), answer.on_time, answer.forecast_source)


def refuse_hopeless(checked: Checked, answer: PreCheck) -> None:
    """Errors: DeadlineUnmeetable, TooFewMachines."""
    if (refusal := refusal_of(checked, answer)) is not None:
        raise refusal


def earlier_job(project: ProjectView, command: SubmitCommand) -> JobRow | None:
    """A repeated request is answered before its rules are checked again (its deadline may be past)."""
    row = Job.objects.filter(project_id=project.id, request_id=command.request_id).first()
    return same_or_refuse(row, command) if row else None


def same_or_refuse(row: Job, command: SubmitCommand) -> JobRow:
    """The job of this very request. Errors: RequestReused."""
    if row.digest != command.digest():
        raise RequestReused(command.request_id)
    return job_row_of(row)
