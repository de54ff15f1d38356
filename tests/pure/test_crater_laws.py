"""Laws of the planner that hold for every cluster and queue."""

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.model import Snapshot
from scheduling.crater.plan import plan
from scheduling.crater.relax import apply
from tests.pure.crater_cases import snapshots

few = settings(max_examples=60, deadline=None)


@few
@given(snapshots())
def test_a_plan_never_overcommits_a_device(snapshot: Snapshot) -> None:
    taken: Counter[tuple[str, str]] = Counter()
    for placement in plan(snapshot).placements:
        for pick in placement.picks:
            taken.update({(pick.device, name): amount for name, amount in pick.amounts.items()})
    free = {(d.uuid, name): amount for n in snapshot.nodes for d in n.devices for name, amount in d.free.items()}
    assert all(amount <= free[key] for key, amount in taken.items())


@few
@given(snapshots())
def test_no_core_is_given_twice(snapshot: Snapshot) -> None:
    given_cores = [(p.device, core) for pl in plan(snapshot).placements for p in pl.picks for core in p.cpus]
    assert len(given_cores) == len(set(given_cores))


@few
@given(snapshots(), st.randoms(use_true_random=False))
def test_input_order_never_changes_the_plan(snapshot: Snapshot, random: Random) -> None:
    nodes = [replace(n, devices=tuple(random.sample(n.devices, len(n.devices)))) for n in snapshot.nodes]
    queue = random.sample(snapshot.queue, len(snapshot.queue))
    random.shuffle(nodes)
    assert plan(replace(snapshot, nodes=tuple(nodes), queue=tuple(queue))) == plan(snapshot)


@few
@given(snapshots())
def test_alignment_holds_unless_crossing_is_allowed(snapshot: Snapshot) -> None:
    requests = {r.job: r for r in snapshot.queue}
    for placement in plan(snapshot).placements:
        request = requests[placement.job]
        numas = {pick.numa_node for pick in placement.picks} - {None}
        assert len(numas) <= 1 or request.allow_cross_numa or request.same == "node"


@few
@given(snapshots())
def test_every_job_is_answered_once_and_needs_are_met_in_full(snapshot: Snapshot) -> None:
    made = plan(snapshot)
    answered = [p.job for p in made.placements] + [r.job for r in made.refusals]
    assert sorted(answered) == sorted(r.job for r in snapshot.queue)
    wanted = {r.job: sum(need.count for need in r.needs) for r in snapshot.queue}
    assert all(len(p.picks) == wanted[p.job] for p in made.placements)


@few
@given(snapshots())
def test_each_option_of_relaxations_really_fits(snapshot: Snapshot) -> None:
    for refusal in plan(snapshot).refusals:
        request = next(r for r in snapshot.queue if r.job == refusal.job)
        for option in {r.option for r in refusal.relaxations}:
            relaxed = apply(request, [r for r in refusal.relaxations if r.option == option])
            queue = tuple(relaxed if r.job == request.job else r for r in snapshot.queue)
            assert refusal.job in {p.job for p in plan(replace(snapshot, queue=queue)).placements}


@few
@given(snapshots())
def test_a_refusal_always_names_a_rule(snapshot: Snapshot) -> None:
    for refusal in plan(snapshot).refusals:
        assert refusal.nearest is not None and sum(refusal.counts.values()) >= 1
