"""Who may stop whom, what it costs, and who gets the room."""

from scheduling.crater.model import Device, Node, Policy, Request
from scheduling.crater.preempt import LIMIT, loss_of, losses_of, victims
from scheduling.crater.rounds import play
from scheduling.crater.running import Running, rank, teams_of
from scheduling.crater.turns import Now
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


def test_a_larger_part_of_the_node_loses_more() -> None:
    node = Node("n", (Device("n", "slot", None, None, {UNIT: 4}, {}),))
    running = [started(wants("half", 2), "n", 0), started(wants("whole", 4), "n", 0)]
    lost = losses_of(running, [node], 60_000)
    assert lost["whole"] == 2 * lost["half"] > 0


def test_teams_hold_what_their_jobs_hold() -> None:
    node = Node("n", (Device("n", "slot", None, None, {UNIT: 4}, {}),))
    teams = teams_of([node], [started(wants("a", 2), "n", 0)], {})
    assert (dict(teams.capacity), teams.held[""]) == ({UNIT: 4}, {UNIT: 2})
