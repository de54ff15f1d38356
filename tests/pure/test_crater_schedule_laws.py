"""Laws of a whole round on one snapshot."""

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.model import Snapshot
from scheduling.crater.plan import plan
from scheduling.crater.schedule import schedule
from tests.pure.crater_busy import after, busy

few = settings(max_examples=80, deadline=None)


@few
@given(busy(), st.randoms(use_true_random=False))
def test_input_order_never_changes_the_round(snapshot: Snapshot, random: Random) -> None:
    shuffled = replace(
        snapshot,
        running=tuple(random.sample(snapshot.running, len(snapshot.running))),
        queue=tuple(random.sample(snapshot.queue, len(snapshot.queue))),
        nodes=tuple(random.sample(snapshot.nodes, len(snapshot.nodes))),
    )
    assert schedule(shuffled) == schedule(snapshot)


@few
@given(busy())
def test_every_job_is_answered_once(snapshot: Snapshot) -> None:
    made = schedule(snapshot)
    answered = [p.job for p in made.placements] + [r.job for r in made.refusals]
    assert sorted(answered) == sorted(r.job for r in snapshot.queue)


@few
@given(busy())
def test_only_jobs_of_lower_rank_are_stopped_and_only_for_who_waits(snapshot: Snapshot) -> None:
    head = schedule(snapshot).head
    if head is not None and head.stops:
        waits = next(r for r in snapshot.queue if r.job == head.job)
        stopped = [r.request for r in snapshot.running if r.job in head.stops]
        assert all(
            (r.priority, r.deadline_ms is not None) < (waits.priority, waits.deadline_ms is not None) for r in stopped
        )
        assert len(stopped) == len(head.stops)


@few
@given(busy())
def test_the_head_fits_once_everyone_before_its_start_has_left(snapshot: Snapshot) -> None:
    head = schedule(snapshot).head
    if head is None or schedule(snapshot).placements:
        return
    gone = {r.job for r in snapshot.running if r.ends_ms <= head.start_ms or r.job in head.stops}
    freed = {(p.device, name): 0 for r in snapshot.running if r.job in gone for p in r.picks for name in p.amounts}
    for r in snapshot.running:
        for pick in r.picks if r.job in gone else ():
            for name, amount in pick.amounts.items():
                freed[pick.device, name] -= amount
    back = {(p.device, core) for r in snapshot.running if r.job in gone for p in r.picks for core in p.cpus}
    nodes = tuple(
        replace(
            n,
            devices=tuple(
                replace(d, cpus=tuple(sorted({*d.cpus, *(c for u, c in back if u == d.uuid)}))) for d in n.devices
            ),
        )
        for n in (after(node, freed, ()) for node in snapshot.nodes)
    )
    alone = tuple(r for r in snapshot.queue if r.job == head.job)
    assert plan(replace(snapshot, nodes=nodes, queue=alone, running=())).placements
