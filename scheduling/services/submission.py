"""Take a job into the queue, once per request id, or say exactly why not.

The rules are in services/checking.py, the promise comes from services/precheck.py. Next: what
a queued job waits for is decided in services/placement.py.
"""

from django.db import transaction

from alldata.kernel.events import JobSubmitted
from alldata.outbox.publish import publish
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.errors import MayNot
from alldata.tenancy.selectors import ProjectView, project_view
from alldata.tenancy.services.numbers import next_job_number
from alldata.tenancy.viewer import Viewer
from scheduling.errors import RequestReused
from scheduling.models import Job
from scheduling.ports import PriceQuotes
from scheduling.selectors.answers import JobRow
from scheduling.selectors.rows import job_row_of
from scheduling.services.checking import check
from scheduling.services.commands import SubmitCommand
from scheduling.services.precheck import forecast


def submit_job(viewer: Viewer, command: SubmitCommand, *, prices: PriceQuotes, now_ms: int) -> JobRow:
    """Queue a job; repeating a request returns the first job. Errors: scheduling.errors."""
    project = project_view(viewer, command.project)
    if not viewer.may_submit(project.id):
        raise MayNot("submit jobs to this project")
    if earlier := _earlier(project, command):
        return earlier
    checked = check(viewer, command, now_ms=now_ms)
    promise = forecast(checked, prices=prices, now_ms=now_ms).as_promise()
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
                "promise": promise,
            },
        )
        if created:
            publish(JobSubmitted(str(row.pk), str(project.id)), now_ms=now_ms)
            pinned = {"profile": f"{row.profile_name}@{row.profile_version}"}
            deed = Deed("job.submit", f"J-{row.number}", project.id, pinned)
            record(viewer, deed, now_ms=now_ms)
    return _same_or_refuse(row, command)


def _earlier(project: ProjectView, command: SubmitCommand) -> JobRow | None:
    """A repeated request is answered before its rules are checked again (its deadline may be past)."""
    row = Job.objects.filter(project_id=project.id, request_id=command.request_id).first()
    return _same_or_refuse(row, command) if row else None


def _same_or_refuse(row: Job, command: SubmitCommand) -> JobRow:
    if row.digest != command.digest():
        raise RequestReused(command.request_id)
    return job_row_of(row)
