"""Take a job into the queue, once per request id, or say exactly why not.

The rules are in services/checking.py, the promise comes from services/precheck.py. Money is set aside in the same
transaction. A job that names a reservation starts on the place held for it (services/holds.py). Next: what a
queued job waits for is decided in services/placement.py.
"""

from django.db import transaction

from alldata.kernel.events import JobSubmitted
from alldata.outbox.publish import publish
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.errors import MayNot
from alldata.tenancy.selectors import ProjectView, project_view
from alldata.tenancy.services.numbers import next_job_number
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
from scheduling.services.precheck import forecast

#: A hard deadline is refused below this chance; a first guess refuses nothing.
HOPELESS_BELOW = 0.02
GUESSED = frozenset({"declared", ""})


def submit_job(
    viewer: Viewer, command: SubmitCommand, *, prices: PriceQuotes, budgets: BudgetGate, now_ms: int
) -> JobRow:
    """Queue a job; repeating a request returns the first job. Errors: scheduling.errors, and a spent budget's."""
    project = project_to_fill(viewer, command, "submit jobs to this project")
    if earlier := earlier_job(project, command):
        return earlier
    checked = check(viewer, command, now_ms=now_ms)
    answer = forecast(checked, prices=prices, now_ms=now_ms)
    refuse_hopeless(checked, answer)
    refuse_too_wide(answer)
    with transaction.atomic():
        row, created = Job.objects.get_or_create(
            project_id=project.id,
            request_id=command.request_id,
            defaults=checked.columns
            | {
                "number": lambda: next_job_number(project.organisation_id),
                "submitted_by": viewer.name,
                "submitted_ms": now_ms,
                "changed_ms": now_ms,
                "promise": answer.as_promise(),
            },
        )
        if created:
            spend = Spend(row.pk, project.id, answer.may_come_to(row.cap_nano))
            budgets.reserve(viewer, spend, now_ms=now_ms)
            announce(viewer, row, now_ms=now_ms)
    return same_or_refuse(row, command)


def project_to_fill(viewer: Viewer, command: SubmitCommand, deed: str) -> ProjectView:
    """The command's project, for one who may put work into it. Errors: ProjectNotFound, MayNot the deed."""
    found = project_view(viewer, command.project)
    if not viewer.may_submit(found.id):
        raise MayNot(deed)
    return found


def announce(viewer: Viewer, row: Job, *, now_ms: int) -> None:
    """The fact and the audit entry of a submission. Call in its transaction."""
    publish(JobSubmitted(str(row.pk), str(row.project_id)), now_ms=now_ms)
    pinned = {"profile": f"{row.profile_name}@{row.profile_version}"}
    record(viewer, Deed("job.submit", f"J-{row.number}", row.project_id, pinned), now_ms=now_ms)


def refuse_hopeless(checked: Checked, answer: PreCheck) -> None:
    """A hard deadline that is sure to be missed is refused, a soft one only warned of. Errors: DeadlineUnmeetable."""
    deadline_ms = checked.columns["deadline_ms"]
    if deadline_ms is None or checked.columns["deadline_policy"] != "hard":
        return
    if answer.refusal is not None and not answer.refusal["possible"]:
        raise DeadlineUnmeetable(None, 0.0, "")
    if answer.on_time is None or answer.finish_ms is None or answer.forecast_source in GUESSED:
        return
    if answer.on_time < HOPELESS_BELOW:
        raise DeadlineUnmeetable(max(0, answer.finish_ms - deadline_ms), answer.on_time, answer.forecast_source)


def refuse_too_wide(answer: PreCheck) -> None:
    """A gang for which there are too few machines, however idle, would wait for ever. Errors: TooFewMachines."""
    refusal = answer.refusal
    if refusal is not None and not refusal["possible"] and refusal["nearest"]["rule"] == NODES:
        raise TooFewMachines(refusal["nearest"]["need"], refusal["nearest"]["have"])


def earlier_job(project: ProjectView, command: SubmitCommand) -> JobRow | None:
    """A repeated request is answered before its rules are checked again (its deadline may be past)."""
    row = Job.objects.filter(project_id=project.id, request_id=command.request_id).first()
    return same_or_refuse(row, command) if row else None


def same_or_refuse(row: Job, command: SubmitCommand) -> JobRow:
    """The job of this very request. Errors: RequestReused."""
    if row.digest != command.digest():
        raise RequestReused(command.request_id)
    return job_row_of(row)
