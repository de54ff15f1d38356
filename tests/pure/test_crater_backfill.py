"""The blocked head of the queue is never delayed by those who overtake it."""

from hypothesis import given, settings

from scheduling.crater.backfill import Reservation, may_backfill
from scheduling.crater.model import Pick, Request
from scheduling.crater.rounds import play
from scheduling.crater.turns import Now
from tests.pure.crater_queues import queues, starts
from tests.pure.crater_rooms import UNIT, Rooms, started, wants

Queue = tuple[list[Request], dict[str, int]]
some = settings(max_examples=300, deadline=None)


@some
@given(queues())
def test_the_head_starts_no_later_than_without_backfill(case: Queue) -> None:
    queue, offered = case
    alone = starts(queue, offered, is_backfilling=False)
    head = next((r.job for r in queue if alone[r.job] > 0), None)
    assert head is None or starts(queue, offered, is_backfilling=True)[head] <= alone[head]


@some
@given(queues())
def test_the_reservation_is_kept(case: Queue) -> None:
    queue, offered = case
    first = play(queue, Rooms(offered), Now(0))
    if first.reservation is not None:
        assert starts(queue, offered, is_backfilling=True)[first.reservation.job] <= first.reservation.start_ms


@some
@given(queues())
def test_everyone_runs_in_the_end(case: Queue) -> None:
    queue, offered = case
    assert set(starts(queue, offered, is_backfilling=True)) == {r.job for r in queue}


@some
@given(queues())
def test_every_job_is_answered_once(case: Queue) -> None:
    queue, offered = case
    chosen = play(queue, Rooms(offered), Now(0))
    answered = [*(p.job for p in chosen.placements), *chosen.held_back, *chosen.unplaced]
    assert sorted(answered) == sorted(r.job for r in queue)


def test_a_short_job_overtakes_and_a_long_one_waits() -> None:
    running = [started(wants("old", 3, 100), "n", 0)]
    queue = [wants("head", 4, 10), wants("long", 1, 200), wants("short", 1, 90)]
    chosen = play(queue, Rooms({"n": 4}, running), Now(0, running))
    assert ([p.job for p in chosen.placements], chosen.held_back) == (["short"], ("long",))


def test_what_is_spare_beside_the_head_may_be_taken_for_ever() -> None:
    reservation = Reservation("head", 100, (), {"n": {UNIT: 2}})
    two = [Pick("n", "slot", {UNIT: 2})]
    assert may_backfill(reservation, two, 10**9)
    assert not may_backfill(reservation.after(two, 10**9), two, 10**9)
    assert may_backfill(reservation, [Pick("elsewhere", "slot", {UNIT: 9})], 10**9)
