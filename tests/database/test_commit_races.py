"""Two planners at once, and a planner that is killed: nothing is claimed twice, nothing is left half done."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

import pytest
from django.db import connection, connections, transaction
from django.db.models import Count, Sum

from scheduling.crater.plan import plan
from scheduling.models import Allocation, Attempt, Decision, Job
from scheduling.services.placement import Round, commit, place_waiting
from scheduling.snapshot import build_snapshot
from tests.database.test_kills import url_of_the_test_database
from tests.world import NOW, FlatRates, home, machine, reserved_cores, submitted

JOBS = 6


@pytest.fixture
def waiting() -> None:
    viewer = home()
    machine(cores=8)
    for number in range(JOBS):
        submitted(viewer, now_ms=NOW + number)


def _nothing_is_claimed_twice() -> bool:
    """One attempt a job, one holder a core, and what is reserved is what is held."""
    held = Allocation.objects.filter(dimension="cpu_millicores")
    cores = [cpu for cpus in held.values_list("cpus", flat=True) for cpu in cpus]
    attempts = Attempt.objects.values("job").annotate(n=Count("pk")).filter(n__gt=1)
    total = held.aggregate(amount=Sum("amount"))["amount"] or 0
    return not attempts.exists() and len(set(cores)) == len(cores) and total == reserved_cores()


@pytest.mark.django_db(transaction=True)
def test_planners_that_saw_the_same_do_not_both_win(waiting: None) -> None:
    snapshot = build_snapshot(prices=FlatRates(), now_ms=NOW)
    decided, start = plan(snapshot), Barrier(3)

    def planner() -> Round:
        try:
            start.wait()
            return commit(snapshot, decided, now_ms=NOW)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        rounds = [future.result() for future in [pool.submit(planner) for _ in range(3)]]
    assert sum(done.placed for done in rounds) == JOBS
    assert sum(done.conflicted for done in rounds) == 2 * JOBS
    assert _nothing_is_claimed_twice()


@contextmanager
def _held(statement: str) -> Iterator[None]:
    """A lock that a commit must wait for; it is given back at the end."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
        yield


def _until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def _others(rule: str) -> int:
    """Other sessions of this database."""
    here = "datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {here} AND {rule}")
        return int(cursor.fetchone()[0])


def _is_waiting() -> bool:
    """Whether another session is in the middle of a commit, held up by our lock."""
    return _others("wait_event_type = 'Lock'") > 0


def _is_alone() -> bool:
    """Whether the server is done with what the dead have sent."""
    return _others("true") == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 FROM scheduling_devicecapacity FOR UPDATE",  # jobs are taken, room is not
        "LOCK TABLE outbox_outboxevent IN SHARE MODE",  # everything is written but the facts
    ],
)
def test_a_planner_killed_in_the_middle_of_a_batch_leaves_nothing_half_done(waiting: None, statement: str) -> None:
    """The server has the whole transaction by then and carries it out, or none of it."""
    env = os.environ | {"DATABASE_URL": url_of_the_test_database(), "DJANGO_SETTINGS_MODULE": "alldata.settings"}
    worker = subprocess.Popen([sys.executable, "-m", "tests.inside.committing"], env=env, stdout=subprocess.PIPE)
    assert worker.stdout is not None and worker.stdout.readline() == b"planned\n"
    with _held(statement):
        _until(_is_waiting)
        worker.kill()
        worker.communicate()
    _until(_is_alone)
    left = Attempt.objects.count()
    assert left in (0, JOBS)
    assert place_waiting(prices=FlatRates(), now_ms=NOW).placed == JOBS - left
    assert Decision.objects.filter(outcome="placed").count() == JOBS
    assert Job.objects.filter(state="admitted").count() == JOBS
    assert _nothing_is_claimed_twice()
