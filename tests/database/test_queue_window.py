"""A queue longer than one round looks at: what is looked at first, and that everything gets its turn."""

import pytest

from scheduling import snapshot
from scheduling.models import Job
from scheduling.services.commands import Sla
from scheduling.services.placement import place_waiting
from scheduling.snapshot import waiting_requests
from tests.world import NOW, FlatRates, home, machine, submitted


def _look_at(monkeypatch: pytest.MonkeyPatch, *, window: int, urgent: int) -> None:
    for name, value in (("WINDOW", window), ("URGENT", urgent)):
        monkeypatch.setattr(snapshot, name, value)


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Five jobs, oldest first, of which three are looked at."""
    _look_at(monkeypatch, window=3, urgent=0)
    viewer = home()
    machine(cores=2)
    return [str(submitted(viewer, now_ms=NOW + number, sla=Sla()).id) for number in range(5)]


def _looked_at() -> list[str]:
    return [request.job for request in waiting_requests()]


def test_the_oldest_are_looked_at_first(queue: list[str]) -> None:
    assert _looked_at() == queue[:3]


def test_high_priority_is_looked_at_before_age(queue: list[str]) -> None:
    Job.objects.filter(pk=queue[4]).update(priority=10)
    assert _looked_at() == [*queue[:2], queue[4]]


def test_what_no_machine_could_run_makes_way(queue: list[str]) -> None:
    Job.objects.filter(pk__in=queue[:3]).update(reason="waiting_no_device", reason_facts={"possible": False})
    assert _looked_at() == [queue[0], queue[3], queue[4]]


def test_the_nearest_deadline_is_always_looked_at(queue: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _look_at(monkeypatch, window=3, urgent=1)
    Job.objects.filter(pk=queue[4]).update(deadline_ms=NOW + 1000)
    assert _looked_at() == [*queue[:3], queue[4]]


def test_every_job_gets_its_turn(queue: list[str]) -> None:
    placed = []
    while (done := place_waiting(prices=FlatRates(), now_ms=NOW)).placed:
        placed.append(done.placed)
        Job.objects.filter(state="admitted").update(state="cancelled")
        machine(cores=2 + 2 * len(placed))
    assert placed == [2, 2, 1]
