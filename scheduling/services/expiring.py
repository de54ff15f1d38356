"""Give a held place back: because somebody says so, or because it was not used in time."""

from django.db import transaction

from alldata.tenancy.audit import Deed, record
from alldata.tenancy.errors import MayNot
from alldata.tenancy.viewer import Viewer
from scheduling.errors import IllegalMove, ReservationOver
from scheduling.lifecycle import ATTEMPT_ENDS, AttemptState, JobState
from scheduling.models import Hold, Job
from scheduling.selectors.answers import HoldView
from scheduling.selectors.holds import EXPIRY, USED, find_hold, hold_view_of
from scheduling.services.moves import move_attempt, move_job
from scheduling.services.release import release_due, start_releasing

RELEASE = "reservation_released"


def release_place(viewer: Viewer, reference: str, *, now_ms: int) -> HoldView:
    """Give the place back now. Repeating is harmless. Errors: ReservationNotFound, ReservationOver when it is used."""
    hold = find_hold(viewer, reference)
    if not viewer.may_submit(hold.project_id):
        raise MayNot("release places of this project")
    with transaction.atomic():
        if _end(hold, RELEASE, now_ms=now_ms):
            record(viewer, Deed("place.release", f"J-{hold.job.number}", hold.project_id), now_ms=now_ms)
    release_due(now_ms=now_ms)
    fresh = find_hold(viewer, reference)
    if fresh.used_ms is not None:
        raise ReservationOver(reference, USED)
    return hold_view_of(fresh)


def expire_holds(*, now_ms: int) -> int:
    """Take back what was not used in time; returns how many. Level-triggered, safe to run twice."""
    due = Hold.objects.filter(used_ms=None, until_ms__lte=now_ms, job__state=JobState.ADMITTED).select_related("job")
    return sum(_end(hold, EXPIRY, now_ms=now_ms) for hold in due.order_by("until_ms")[:500])


def _end(hold: Hold, why: str, *, now_ms: int) -> bool:
    """End the unused job and start to release its claims, without grace; False when another was faster."""
    try:
        with transaction.atomic():
            if Hold.objects.select_for_update().get(pk=hold.pk).used_ms is not None:
                return False
            job = Job.objects.get(pk=hold.job_id)
            for attempt in job.attempts.exclude(state__in=ATTEMPT_ENDS):
                move_attempt(attempt, AttemptState.CANCELLED, now_ms=now_ms, columns={"reason": why})
                start_releasing(attempt, grace_ms=0, now_ms=now_ms)
            move_job(job, JobState.CANCELLED, now_ms=now_ms, reason=why)
    except IllegalMove:
        return False  # it ended otherwise meanwhile
    return True
