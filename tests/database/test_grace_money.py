"""What does a claim cost that is kept warm after its attempt ended (E6)?"""

import pytest

from alldata.kernel.intervals import Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import price_nano
from costing.services.ledger import book_hour
from scheduling.models import Allocation, Attempt, Device, DeviceCapacity, Job
from scheduling.services.release import release_due, start_releasing
from tests.fleet import AGENT, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.money import HBM_RATE, nano

MINUTE = 60_000


def minutes(first: int, last: int) -> Interval:
    return Interval(HOUR + first * MINUTE, HOUR + last * MINUTE)


@pytest.fixture
def device(viewer: Viewer) -> Device:
    return gpu()


@pytest.fixture
def work(viewer: Viewer) -> Job:
    assert viewer.default_project_id is not None
    return job(viewer.default_project_id, viewer.organisation_id)


def book() -> None:
    book_hour(AGENT, HOUR, now_ms=LATER)


def claimed(work: Job, device: Device) -> Attempt:
    """An attempt that holds the whole card and has just ended, at minute 20."""
    who = attempt(work, device)
    holds(who, device, HBM, minutes(0, 60))
    Allocation.objects.update(state="held", end_ms=None)
    DeviceCapacity.objects.update(reserved_hbm_bandwidth=HBM)
    return who


def test_thirty_seconds_of_grace_are_held_idle_and_end_at_the_millisecond(device: Device, work: Job) -> None:
    who = claimed(work, device)
    start_releasing(who, grace_ms=30_000, now_ms=minutes(20, 21).start_ms)
    release_due(now_ms=LATER)
    take(window(0, minutes(0, 20), HBM * 20 * MINUTE), window(1, minutes(20, 60), 0))
    book()
    grace = Interval(minutes(20, 21).start_ms, minutes(20, 21).start_ms + 30_000)
    assert nano(job_id=work.id, bucket="allocated_idle") == price_nano(HBM_RATE, grace)
    assert nano(job_id=work.id, bucket="used") == price_nano(HBM_RATE, minutes(0, 20))


def test_grace_that_is_cut_short_ends_there(device: Device, work: Job) -> None:
    """Someone needs the card: a due time that is brought forward is the end, to the millisecond."""
    who = claimed(work, device)
    at_ms = minutes(20, 21).start_ms
    start_releasing(who, grace_ms=30_000, now_ms=at_ms)
    Allocation.objects.update(release_due_ms=at_ms + 7)
    take(window(0, minutes(0, 20), 0), window(1, minutes(20, 60), 0))
    book()
    assert nano(job_id=work.id) == price_nano(HBM_RATE, Interval(HOUR, at_ms + 7))
