"""A held place: kept from the driver, from others and from itself ending twice."""

from pathlib import Path

import pytest

from alldata.outbox.models import OutboxEvent
from alldata.tenancy.models import AuditEntry
from alldata.tenancy.viewer import Viewer
from scheduling.errors import NoPlace, ReservationOver
from scheduling.executors.fake import FakeExecutor
from scheduling.models import Attempt, Decision, Hold, Job
from scheduling.ports import Ports
from scheduling.selectors.answers import HoldView
from scheduling.selectors.metering import allocations_between
from scheduling.selectors.placements import placement_of
from scheduling.services.cancellation import cancel_job
from scheduling.services.commands import HOLD, Entry
from scheduling.services.execution import drive
from scheduling.services.expiring import expire_holds, release_place
from scheduling.services.holds import submit_on_hold
from scheduling.services.placement import place_waiting
from scheduling.services.reserving import reserve_place
from tests.world import NOW, FlatRates, command, home, machine, plugged, reserved_cores, submitted

LASTS = 60_000


@pytest.fixture
def viewer() -> Viewer:
    machine()
    return home()


@pytest.fixture
def ports(tmp_path: Path) -> Ports:
    return plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)


def reserve(viewer: Viewer, ports: Ports, *, now_ms: int = NOW) -> HoldView:
    asked = command(kind=HOLD, entry=Entry(command=()), name="place")
    return reserve_place(viewer, asked, hold_ms=LASTS, ports=ports, now_ms=now_ms)[0]


def use(viewer: Viewer, ports: Ports, held: HoldView, *, now_ms: int = NOW + 1) -> Job:
    asked = command(profile="", mode="", reservation=str(held.id))
    row = submit_on_hold(viewer, asked, prices=ports.prices, budgets=ports.budgets, now_ms=now_ms)
    return Job.objects.get(pk=row.id)


def test_it_is_a_placement_like_any_other(viewer: Viewer, ports: Ports) -> None:
    reserve(viewer, ports)
    job = Job.objects.get()
    assert (job.state, job.attempts.get().state, job.grace_ms) == ("admitted", "placing", 0)
    assert Decision.objects.get().outcome == "placed"
    assert OutboxEvent.objects.filter(name="job.moved", fields__to="admitted").count() == 1
    assert AuditEntry.objects.filter(action="place.reserve").count() == 1


def test_the_driver_leaves_it_alone_until_it_is_used(viewer: Viewer, ports: Ports) -> None:
    held = reserve(viewer, ports)
    assert not drive(ports, now_ms=NOW)
    assert Attempt.objects.get().state == "placing"
    placement = placement_of(Attempt.objects.get())
    job = use(viewer, ports, held)
    assert drive(ports, now_ms=NOW + 2)
    attempt = Attempt.objects.get()
    assert (attempt.state, attempt.job_id) == ("starting", job.pk)
    assert attempt.placement and attempt.placement["picks"] == placement["picks"]


def test_others_are_placed_beside_it_never_on_it(viewer: Viewer, ports: Ports) -> None:
    reserve(viewer, ports)
    submitted(viewer)
    submitted(viewer)
    assert place_waiting(prices=FlatRates(), now_ms=NOW).placed == 1
    assert reserved_cores() == 2000


def test_stopping_the_job_gives_the_place_back(viewer: Viewer, ports: Ports) -> None:
    held = reserve(viewer, ports)
    cancel_job(viewer, held.job, now_ms=NOW + 1)
    drive(ports, now_ms=NOW + 2)
    assert Job.objects.get().state == "cancelled"
    assert release_place(viewer, str(held.id), now_ms=NOW + 3).state == "released"
    assert reserved_cores() == 0
    with pytest.raises(ReservationOver):
        use(viewer, ports, held)


def test_a_used_place_can_neither_be_released_nor_expire(viewer: Viewer, ports: Ports) -> None:
    held = reserve(viewer, ports)
    use(viewer, ports, held)
    with pytest.raises(ReservationOver):
        release_place(viewer, str(held.id), now_ms=NOW + 2)
    assert expire_holds(now_ms=NOW + LASTS) == 0
    assert reserved_cores() == 1000


def test_it_is_known_that_nothing_ran_on_it(viewer: Viewer, ports: Ports) -> None:
    held = reserve(viewer, ports)
    assert {span.ran for span in allocations_between(NOW, NOW + 1)} == {False}
    use(viewer, ports, held)
    for step in range(1, 4):
        drive(ports, now_ms=NOW + 1 + step)
    assert {span.ran for span in allocations_between(NOW, NOW + 1)} == {True}


def test_nothing_is_left_of_a_refused_reservation(viewer: Viewer, ports: Ports) -> None:
    for _ in range(2):
        reserve(viewer, ports)
    with pytest.raises(NoPlace):
        reserve(viewer, ports)
    assert (Job.objects.count(), Hold.objects.count(), reserved_cores()) == (2, 2, 2000)
