"""Rows of this app as the frozen answers other rooms may hold."""

from typing import TYPE_CHECKING

from scheduling.models import Attempt, Job
from scheduling.selectors.answers import AttemptView, JobRow
from scheduling.selectors.placements import Placed
from scheduling.selectors.told import NOBODY, Names, told

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


def job_row_of(job: Job, names: Names = NOBODY) -> JobRow:
    """One job row; load it with `select_related("project")` in lists. `names` are of jobs the viewer may see."""
    return JobRow(
        id=job.pk,
        number=job.number,
        name=job.name,
        kind=job.kind,
        mode=job.mode,
        profile=f"{job.profile_name}@{job.profile_version}" if job.profile_version else job.profile_name,
        project_id=job.project_id,
        project=job.project.name,
        state=job.state,
        reason=job.reason,
        reason_facts=told(job.reason_facts, names),
        stop_requested=job.stop_requested,
        simulated=False,
        submitted_ms=job.submitted_ms,
        started_ms=job.started_ms,
        ended_ms=job.ended_ms,
        deadline_ms=job.deadline_ms,
        deadline_policy=job.deadline_policy,
        deadline_met=job.deadline_met,
        cap_nano=job.cap_nano,
        currency=job.currency,
        promise=job.promise,
        rev=job.rev,
    )


def attempt_view_of(attempt: "WithAnnotations[Attempt, Placed]") -> AttemptView:
    """One attempt, loaded `with_placement`, in lists with `select_related("node")`."""
    return AttemptView(
        id=attempt.pk,
        ordinal=attempt.ordinal,
        engine=attempt.engine,
        node=attempt.node.name,
        state=attempt.state,
        placement=attempt.placed,
        created_ms=attempt.created_ms,
        started_ms=attempt.started_ms,
        ended_ms=attempt.ended_ms,
        exit_code=attempt.exit_code,
        signal=attempt.signal,
        reason=attempt.reason,
        detail=attempt.detail,
        limits=attempt.limits,
        progress=attempt.progress,
        endpoint=attempt.endpoint,
        member=attempt.member,
        members=attempt.members,
        component=attempt.component,
    )
