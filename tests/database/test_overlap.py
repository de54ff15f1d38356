"""A batch is committed while the next one is planned: nothing is lost, doubled or out of order by that."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from alldata.kernel.events import Event, JobMoved
from alldata.outbox import subscribers
from alldata.outbox.models import Delivery, OutboxEvent
from alldata.outbox.subscribers import Subscriber
from scheduling.crater.model import Placement
from scheduling.crater.plan import plan
from scheduling.models import Allocation, Attempt, Decision, Job, PlannerInput
from scheduling.selectors.placements import placement_of, with_placement
from scheduling.services.bulk import commit_all
from scheduling.services.recording import as_plain, record_input
from scheduling.snapshot import build_snapshot
from tests.world import NOW, FlatRates, home, machine, reserved_cores, submitted

JOBS, SIZE = 8, 2


@pytest.fixture
def seen() -> PlannerInput:
    viewer = home()
    machine(cores=JOBS)
    for number in range(JOBS):
        submitted(viewer, now_ms=NOW + number)
    return record_input(build_snapshot(prices=FlatRates(), now_ms=NOW))


def planned() -> list[Placement]:
    return list(plan(build_snapshot(prices=FlatRates(), now_ms=NOW)).placements)


def stand(expected: int) -> bool:
    """So many jobs run once each, on cores of their own, with what was decided and told of them."""
    cores = [cpu for cpus in Allocation.objects.values_list("cpus", flat=True) for cpu in cpus]
    attempts = set(Attempt.objects.values_list("job_id", flat=True))
    decided = set(Decision.objects.filter(outcome="placed").values_list("id", "job_id"))
    told = OutboxEvent.objects.filter(name="job.moved", fields__to="admitted").count()
    assert reserved_cores() == 1000 * len(cores) == 1000 * len(set(cores))
    assert decided == set(Attempt.objects.values_list("id", "job_id"))
    return len(attempts) == Attempt.objects.count() == len(cores) == told == expected


def test_a_refused_batch_in_the_middle_leaves_the_others_standing(seen: PlannerInput) -> None:
    placements = planned()
    Job.objects.filter(pk=placements[3].job).update(state="cancelled")
    assert commit_all(iter(placements), seen=seen, now_ms=NOW, size=SIZE) == JOBS - 1
    assert stand(JOBS - 1)
    assert Decision.objects.get(outcome="conflicted").job_id == Job.objects.get(state="cancelled").pk


def test_answers_keep_their_order(seen: PlannerInput) -> None:
    placements = planned()
    commit_all(iter(placements), seen=seen, now_ms=NOW, size=3)
    jobs = [placement.job for placement in placements]
    assert [str(job) for job in Decision.objects.order_by("id").values_list("job_id", flat=True)] == jobs
    assert (
        list(OutboxEvent.objects.filter(name="job.moved").order_by("id").values_list("fields__job_id", flat=True))
        == jobs
    )


def test_an_error_while_a_commit_is_under_way_neither_loses_nor_doubles(seen: PlannerInput) -> None:
    placements = planned()

    def breaks() -> Iterator[Placement]:
        yield from placements[:5]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        commit_all(breaks(), seen=seen, now_ms=NOW, size=SIZE)
    assert stand(4)
    assert commit_all(planned(), seen=seen, now_ms=NOW, size=SIZE) == JOBS - 4
    assert stand(JOBS)


def test_a_refusal_is_settled_when_the_planner_breaks_meanwhile(seen: PlannerInput) -> None:
    placements = planned()
    Job.objects.filter(pk=placements[0].job).update(state="cancelled")

    def breaks() -> Iterator[Placement]:
        yield from placements[:2]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        commit_all(breaks(), seen=seen, now_ms=NOW, size=SIZE)
    assert stand(1)
    assert Decision.objects.filter(outcome="conflicted").count() == 1


def test_what_is_committed_in_a_transaction_is_undone_with_it(seen: PlannerInput) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        assert commit_all(planned(), seen=seen, now_ms=NOW, size=SIZE) == JOBS
        raise ZeroDivisionError
    assert stand(0)


@pytest.fixture
def another() -> Iterator[BaseDatabaseWrapper]:
    """A session beside the one that commits."""
    session = connection.copy()
    yield session
    session.close()


def _until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.01)


def _sees(session: BaseDatabaseWrapper, attempts: int) -> bool:
    """Whether so many attempts are there for all to see, and no commit holds its lock."""
    with session.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM scheduling_attempt")
        seen = cursor.fetchone()
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        return bool((seen, cursor.fetchone()) == ((attempts,), (0,)))


@pytest.mark.django_db(transaction=True)
def test_a_batch_is_through_before_the_next_is_made(another: BaseDatabaseWrapper, seen: PlannerInput) -> None:
    placements = planned()

    def slow() -> Iterator[Placement]:
        for made, placement in enumerate(placements):
            if made % SIZE == 0:
                _until(partial(_sees, another, made))
            yield placement

    assert commit_all(slow(), seen=seen, now_ms=NOW, size=SIZE) == JOBS
    assert stand(JOBS)


@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_cut_is_an_error_and_not_a_conflict(another: BaseDatabaseWrapper, seen: PlannerInput) -> None:
    placements = planned()

    def cut() -> Iterator[Placement]:
        yield from placements[:SIZE]
        _until(lambda: _sees(another, SIZE))
        with another.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        yield from placements[SIZE:]

    with pytest.raises((OperationalError, InterfaceError)):
        commit_all(cut(), seen=seen, now_ms=NOW, size=SIZE)
    connection.close()
    assert stand(SIZE)
    assert commit_all(planned(), seen=seen, now_ms=NOW, size=SIZE) == JOBS - SIZE


def test_an_answer_is_kept_once(seen: PlannerInput) -> None:
    placements = {placement.job: placement for placement in planned()}
    commit_all(placements.values(), seen=seen, now_ms=NOW)
    assert set(Attempt.objects.values_list("placement", flat=True)) == {None}
    for attempt in with_placement(Attempt.objects.all()):
        assert attempt.placed == placement_of(attempt) == as_plain(placements[str(attempt.job_id)])


@pytest.fixture
def hearing() -> Iterator[None]:
    """Three who hear of moved jobs: of placed ones, of requeued ones, of all."""

    def hear(event: Event, now_ms: int) -> None:
        """Nothing to do."""

    known, whens = (
        dict(subscribers._subscribers),
        {"placed": {"to": {"admitted"}}, "again": {"to": {"queued"}}, "all": {}},
    )
    subscribers._subscribers.clear()
    subscribers._subscribers.update({name: Subscriber(name, JobMoved, hear, when) for name, when in whens.items()})
    yield
    subscribers._subscribers.clear()
    subscribers._subscribers.update(known)


def test_a_placement_is_owed_to_those_who_want_to_hear_of_it(seen: PlannerInput, hearing: None) -> None:
    commit_all(planned(), seen=seen, now_ms=NOW)
    owed = list(Delivery.objects.filter(event__name="job.moved").values_list("event__fields__job_id", "subscriber"))
    jobs = [str(pk) for pk in Job.objects.values_list("pk", flat=True)]
    assert sorted(owed) == sorted((job, name) for job in jobs for name in ("placed", "all"))
