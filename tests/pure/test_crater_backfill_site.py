"""Rounds over the planner's own cluster: the same places, nothing overcommitted, reservations that can be filled."""

from collections import Counter

from hypothesis import given, settings

from scheduling.crater.model import Snapshot
from scheduling.crater.order import ordered
from scheduling.crater.plan import plan
from scheduling.crater.rounds import play
from scheduling.crater.running import Running
from scheduling.crater.site import PlannedSite
from scheduling.crater.turns import Now, Round
from tests.pure.crater_cases import cluster, cores, job, plain_node, snapshots

few = settings(max_examples=60, deadline=None)


def round_of(snapshot: Snapshot, *running: Running) -> Round:
    queue = ordered(snapshot.queue, snapshot.now_ms)
    return play(queue, PlannedSite(snapshot, running), Now(snapshot.now_ms, running))


@few
@given(snapshots())
def test_without_a_blocked_head_a_round_is_a_plan(snapshot: Snapshot) -> None:
    chosen = round_of(snapshot)
    if chosen.reservation is None:
        assert chosen.placements == plan(snapshot).placements


@few
@given(snapshots())
def test_a_round_never_overcommits(snapshot: Snapshot) -> None:
    taken: Counter[tuple[str, str]] = Counter()
    for placement in round_of(snapshot).placements:
        for pick in placement.picks:
            taken.update({(pick.device, name): amount for name, amount in pick.amounts.items()})
    free = {(d.uuid, name): amount for n in snapshot.nodes for d in n.devices for name, amount in d.free.items()}
    assert all(amount <= free[key] for key, amount in taken.items())


@few
@given(snapshots())
def test_what_is_reserved_leaves_no_device_below_zero(snapshot: Snapshot) -> None:
    reservation = round_of(snapshot).reservation
    if reservation is not None:
        assert all(amount >= 0 for spare in reservation.spare.values() for amount in spare.values())


def test_the_head_waits_for_the_job_that_is_in_its_way() -> None:
    snapshot = cluster(plain_node(cores=4, used=3), queue=(job("head", cores(4000)),))
    pick = PlannedSite(cluster(plain_node(cores=3))).place(job("old", cores(3000)))
    assert pick is not None
    old = Running(job("old"), "n1", pick.picks, 0, snapshot.now_ms + 50, 0)
    reservation = round_of(snapshot, old).reservation
    assert reservation is not None and reservation.start_ms == snapshot.now_ms + 50
