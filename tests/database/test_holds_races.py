"""Who wins when many want one place, or want different things of it at once? Exactly one."""

from pathlib import Path

import pytest

from scheduling.executors.fake import FakeExecutor
from scheduling.models import Allocation, Attempt, Hold, Job
from scheduling.services.expiring import expire_holds, release_place
from tests.database.test_holds import LASTS, reserve, use
from tests.racing import race
from tests.world import NOW, home, machine, plugged, reserved_cores


@pytest.mark.django_db(transaction=True)
def test_racing_reservations_never_oversubscribe(tmp_path: Path) -> None:
    machine()
    viewer, ports = home(), plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)
    outcomes = race(*[lambda: reserve(viewer, ports).state] * 4)
    assert outcomes == ["held", "held", "no_place", "no_place"]
    assert reserved_cores() == 2000 and Allocation.objects.count() == 6


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("now_ms", [NOW + LASTS - 1, NOW + LASTS])
def test_use_release_and_expiry_race_to_one_end(tmp_path: Path, now_ms: int) -> None:
    machine()
    viewer, ports = home(), plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)
    held = reserve(viewer, ports)
    race(
        lambda: use(viewer, ports, held, now_ms=now_ms).state,
        lambda: release_place(viewer, str(held.id), now_ms=now_ms).state,
        lambda: expire_holds(now_ms=now_ms),
    )
    hold, job = Hold.objects.get(), Job.objects.get()
    alive = Attempt.objects.exclude(state="cancelled").count()
    assert (hold.used_ms is not None) == (job.state == "admitted") == (alive == 1)


@pytest.mark.django_db(transaction=True)
def test_two_jobs_never_share_one_reservation(tmp_path: Path) -> None:
    machine()
    viewer, ports = home(), plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)
    held = reserve(viewer, ports)
    outcomes = race(*[lambda: use(viewer, ports, held).state] * 3)
    assert outcomes == ["admitted", "reservation_over", "reservation_over"]
    assert Job.objects.count() == 1
