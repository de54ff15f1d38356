"""Who may stop whom, what it costs, and who gets the room."""

from scheduling.crater.model import Policy, Request
from scheduling.crater.preempt import LIMIT, loss_of, victims
from scheduling.crater.rounds import Now, play
from scheduling.crater.running import Running, rank
from tests.pure.crater_rooms import UNIT, Rooms, started, wants


def test_a_victim_never_stops_its_preemptor() -> None:
    low, high = wants("low", 4, priority=0), wants("high", 4, priority=1)
    running = [started(high, "n", 0)]
    assert victims(low, running, {"high": 0}, lambda node, gone: bool(gone)) is None


def test_nobody_is_stopped_more_often_than_the_limit() -> None:
    tired = Running(wants("r", 1), "n", (), 0, 10, 0, preempted=LIMIT)
    assert victims(wants("new", 1, priority=9), [tired], {"r": 0}, lambda node, gone: True) is None


def test_a_hard_deadline_outranks_its_own_priority_only() -> None:
    due = Request("due", (), 0, deadline_ms=9, policy=Policy.DEADLINE_AWARE)
    assert rank(wants("a", 1)) < rank(due) < rank(wants("b", 1, priority=1))


def test_what_was_saved_is_not_lost() -> None:
    fresh, saved = started(wants("r", 2), "n", 0), started(wants("r", 2), "n", 90_000)
    capacity = {"n": {UNIT: 4}}
    assert loss_of(fresh, capacity, 100_000) - loss_of(saved, capacity, 100_000) == 90_000 * 500_000


def test_the_head_keeps_the_room_its_victims_leave() -> None:
    running = [started(wants("old", 4, 1000), "n", 0)]
    queue = [wants("vip", 4, 10, priority=1), wants("small", 1, 10**6)]
    chosen = play(queue, Rooms({"n": 5}, running), Now(5, running, {"old": 7}))
    assert chosen.stopped is not None and chosen.stopped.jobs == ("old",)
    assert [p.job for p in chosen.placements] == ["small"]
    assert (
        play([queue[0], wants("big", 2, 10**6)], Rooms({"n": 5}, running), Now(5, running, {"old": 7})).placements == ()
    )
