"""What do attempts cost that were preempted, failed, retried or moved (E7)?"""

import pytest
from django.db.models import Sum

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.selectors.costs import cost_of_job
from costing.services.ledger import book_hour
from scheduling.models import Attempt, Device, Job, Node
from tests.fleet import AGENT, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.money import HBM_RATE, WHOLE

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


def busy() -> None:
    """The card is half busy all the hour, whoever has it."""
    take(window(0, WHOLE, HBM * HOUR_MS // 2))


def book(node: str = AGENT) -> None:
    book_hour(node, HOUR, now_ms=LATER)


def nano(**where: object) -> int:
    rows = LedgerEntry.objects.filter(dimension="hbm_bandwidth", **where)
    return int(rows.aggregate(n=Sum("nano"))["n"] or 0)


@pytest.mark.parametrize("ending", ["preempted", "failed", "lost", "cancelled"])
def test_attempts_are_rows_of_their_own_under_one_job(viewer: Viewer, device: Device, work: Job, ending: str) -> None:
    """Ten minutes, then an ending; the second attempt of the same job runs twenty minutes more."""
    first, second = attempt(work, device), attempt(work, device, 2)
    Attempt.objects.filter(pk=first.pk).update(state=ending)
    holds(first, device, HBM, minutes(0, 10))
    holds(second, device, HBM, minutes(20, 40))
    busy()
    book()
    halves = [nano(attempt_id=one.id, bucket="used") for one in (first, second)]
    assert halves == [price_nano(HBM_RATE, minutes(0, 10)) // 2, price_nano(HBM_RATE, minutes(20, 40)) // 2]
    assert cost_of_job(viewer, str(work.id)).charged_nano == sum(halves)


def test_waiting_in_the_queue_costs_nothing(viewer: Viewer, device: Device, work: Job) -> None:
    """Half an hour between two attempts, and all the time before the first."""
    holds(attempt(work, device), device, HBM, minutes(30, 45))
    busy()
    book()
    assert nano(job_id=work.id) == price_nano(HBM_RATE, minutes(30, 45))
    assert nano(bucket="system") == nano() // 2 - nano(job_id=work.id) // 2


def test_a_job_that_was_never_placed_costs_nothing(viewer: Viewer, device: Device, work: Job) -> None:
    attempt(work, device)
    busy()
    book()
    assert (nano(job_id=work.id), cost_of_job(viewer, str(work.id)).charged_nano) == (0, 0)


def test_pulling_an_image_is_time_that_is_held(device: Device, work: Job) -> None:
    """Claimed at minute 0, started at minute 5: five minutes of an idle card are the job's."""
    who = attempt(work, device)
    Attempt.objects.filter(pk=who.pk).update(started_ms=minutes(5, 6).start_ms)
    holds(who, device, HBM, minutes(0, 15))
    take(window(0, minutes(0, 5), 0), window(1, minutes(5, 60), HBM * MINUTE * 55))
    book()
    assert nano(job_id=work.id, bucket="allocated_idle") == price_nano(HBM_RATE, minutes(0, 5))
    assert nano(job_id=work.id, bucket="used") == price_nano(HBM_RATE, minutes(5, 15))


def test_a_job_that_moves_to_another_node_pays_each_where_it_was(device: Device, work: Job) -> None:
    other = gpu(uuid="GPU-far")
    far = Node.objects.create(name="far", engine="fake", agent_version="0", boot_id="b", registered_ms=0, seen_ms=0)
    Device.objects.filter(pk=other.pk).update(node=far)
    holds(attempt(work, device), device, HBM, minutes(0, 20))
    holds(attempt(work, device, 2), other, HBM, minutes(20, 60))
    busy()
    take(window(0, WHOLE, 0, uuid="GPU-far"), agent="far")
    book()
    book("far")
    assert nano(job_id=work.id, device=device.uuid) == price_nano(HBM_RATE, minutes(0, 20))
    assert nano(job_id=work.id, device="GPU-far", bucket="allocated_idle") == price_nano(HBM_RATE, minutes(20, 60))


def test_the_members_of_a_gang_are_charged_as_one_job(viewer: Viewer, device: Device, work: Job) -> None:
    """At the same time on two nodes; each for what it held, until its own end."""
    far = Node.objects.create(name="far", engine="fake", agent_version="0", boot_id="b", registered_ms=0, seen_ms=0)
    other = gpu(uuid="GPU-far")
    Device.objects.filter(pk=other.pk).update(node=far)
    first, second = attempt(work, device), attempt(work, other, 2)
    Attempt.objects.filter(pk=first.pk).update(members=2)
    Attempt.objects.filter(pk=second.pk).update(ordinal=1, member=1, members=2)
    holds(first, device, HBM, minutes(0, 40))
    holds(second, other, HBM, minutes(0, 10))
    busy()
    take(window(0, WHOLE, HBM * HOUR_MS, uuid="GPU-far"), agent="far")
    book()
    book("far")
    told = [nano(attempt_id=one.id, bucket="used") for one in (first, second)]
    assert told == [price_nano(HBM_RATE, minutes(0, 40)) // 2, price_nano(HBM_RATE, minutes(0, 10))]
    assert cost_of_job(viewer, str(work.id)).charged_nano == sum(told)
