"""What a process remembers of the cluster is never believed: rounds see what others wrote, late and undone alike."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event
from typing import TypeVar

import pytest
from django.db import connections, transaction

from scheduling.crater.kept import Memory
from scheduling.crater.model import Node as CoreNode
from scheduling.crater.plan import plan
from scheduling.crater.schedule import schedule
from scheduling.models import Device, DeviceCapacity, Job, Node
from scheduling.selectors import supply
from scheduling.selectors.supply import nodes_now
from scheduling.services import placement
from scheduling.services.placement import Round, commit, place_waiting
from scheduling.snapshot import build_snapshot, cluster_now, waiting_requests
from tests.world import NOW, FlatRates, home, machine, submitted

pytestmark = pytest.mark.django_db(transaction=True)
CORES = DeviceCapacity.objects.filter(device__type="cpu")
T = TypeVar("T")


def elsewhere(act: Callable[[], T]) -> T:
    """What another connection makes of it."""

    def run() -> T:
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def look() -> tuple[CoreNode, ...]:
    return nodes_now(now_ms=NOW)


def first_look() -> tuple[CoreNode, ...]:
    """What a process sees that remembers nothing."""
    kept = supply._last[:], dict(supply._met)
    supply._last.clear()
    supply._met.clear()
    found = look()
    supply._last[:] = kept[0]
    supply._met.clear()
    supply._met.update(kept[1])
    return found


def free_cores() -> int:
    return look()[0].devices[0].free["cpu_millicores"]


@pytest.fixture
def late() -> Iterator[Callable[[], None]]:
    """A transaction that has written and is still open; call to let it end."""
    written, go = Event(), Event()

    def act() -> None:
        with transaction.atomic():
            CORES.update(reserved_cpu_millicores=1000)
            written.set()
            go.wait(10)
        connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        machine()
        future = pool.submit(act)
        written.wait(10)

        def end() -> None:
            go.set()
            future.result()

        yield end
        go.set()


def test_a_transaction_that_ends_after_later_ones_is_seen(late: Callable[[], None]) -> None:
    assert free_cores() == 2000
    elsewhere(lambda: Device.objects.filter(type="memory").update(healthy=False))
    assert free_cores() == 2000
    late()
    assert free_cores() == 1000
    assert look() == first_look()


def test_what_is_undone_is_forgotten() -> None:
    machine()
    look()
    with transaction.atomic():
        CORES.update(reserved_cpu_millicores=1000)
        assert free_cores() == 1000
        transaction.set_rollback(True)
    assert free_cores() == 2000


def test_rows_that_vanish_are_missed() -> None:
    machine()
    look()
    DeviceCapacity.objects.filter(device__type="memory").delete()
    Device.objects.filter(type="memory").delete()
    assert "memory" not in {device.type for device in look()[0].devices}


ACTS: tuple[Callable[[], object], ...] = (
    lambda: CORES.update(reserved_cpu_millicores=1000),
    lambda: CORES.update(reserved_cpu_millicores=0),
    lambda: Device.objects.filter(type="cpu").update(healthy=False),
    lambda: Device.objects.filter(type="cpu").update(healthy=True, cpus=[0]),
    lambda: Device.objects.filter(type="storage").update(retired_ms=NOW),
    lambda: Node.objects.update(draining=True),
    lambda: Node.objects.update(draining=False, seen_ms=NOW),
    lambda: Node.objects.update(seen_ms=0),
    lambda: machine(cores=4),
)


@pytest.mark.parametrize("seed", range(4))
def test_a_look_is_what_a_first_look_would_be(seed: int) -> None:
    machine()
    random = Random(seed)
    for _ in range(12):
        for act in random.sample(ACTS, random.randint(0, 2)):
            elsewhere(act)
        assert look() == first_look()


def placed() -> Round:
    return place_waiting(prices=FlatRates(), now_ms=NOW)


def _commits_elsewhere() -> None:
    seen = build_snapshot(prices=FlatRates(), now_ms=NOW)
    commit(seen, plan(seen), now_ms=NOW)


def test_room_that_another_planner_took_is_not_given_away() -> None:
    viewer = home()
    machine(cores=2)
    submitted(viewer)
    assert placed() == Round(1, 0, 0)
    submitted(viewer)
    elsewhere(_commits_elsewhere)
    submitted(viewer)
    assert placed() == Round(0, 1, 0)


def test_a_plan_that_was_never_committed_takes_no_room() -> None:
    viewer = home()
    machine(cores=1)
    submitted(viewer)
    lost = schedule(cluster_now(prices=FlatRates(), now_ms=NOW), memory=placement.MEMORY)
    assert (len(lost.placements), placed()) == (1, Round(1, 0, 0))


def test_every_round_plans_as_one_that_remembers_nothing() -> None:
    viewer = home()
    machine(cores=6)
    for number in range(5):
        submitted(viewer, now_ms=NOW + number)
        elsewhere(ACTS[number % 2])
        snapshot = build_snapshot(prices=FlatRates(), now_ms=NOW)
        assert schedule(snapshot, memory=placement.MEMORY) == schedule(snapshot, memory=Memory())
        placed()


def test_a_job_that_still_waits_is_the_same_request() -> None:
    job = submitted(home())
    (before,) = waiting_requests()
    assert waiting_requests()[0] is before
    Job.objects.filter(pk=job.id).update(priority=3)
    assert waiting_requests()[0].priority == 3
