"""Laws of the planner that hold for every cluster and queue."""

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.model import Near, Need, Pick, Placement, Request, Snapshot
from scheduling.crater.plan import plan
from scheduling.crater.relax import apply
from scheduling.crater.topology import root_of
from tests.pure.crater_cases import snapshots
from tests.pure.crater_trees import trees

few = settings(max_examples=60, deadline=None)


@few
@given(snapshots() | trees())
def test_a_plan_never_overcommits_a_device(snapshot: Snapshot) -> None:
    taken: Counter[tuple[str, str]] = Counter()
    for placement in plan(snapshot).placements:
        for pick in placement.picks:
            taken.update({(pick.device, name): amount for name, amount in pick.amounts.items()})
    free = {(d.uuid, name): amount for n in snapshot.nodes for d in n.devices for name, amount in d.free.items()}
    assert all(amount <= free[key] for key, amount in taken.items())


@few
@given(snapshots() | trees())
def test_no_core_is_given_twice(snapshot: Snapshot) -> None:
    given_cores = [(p.device, core) for pl in plan(snapshot).placements for p in pl.picks for core in p.cpus]
    assert len(given_cores) == len(set(given_cores))


@few
@given(snapshots() | trees(), st.randoms(use_true_random=False))
def test_input_order_never_changes_the_plan(snapshot: Snapshot, random: Random) -> None:
    nodes = [replace(n, devices=tuple(random.sample(n.devices, len(n.devices)))) for n in snapshot.nodes]
    queue = random.sample(snapshot.queue, len(snapshot.queue))
    random.shuffle(nodes)
    assert plan(replace(snapshot, nodes=tuple(nodes), queue=tuple(queue))) == plan(snapshot)


@few
@given(snapshots() | trees())
def test_alignment_holds_unless_crossing_is_allowed(snapshot: Snapshot) -> None:
    requests = {r.job: r for r in snapshot.queue}
    for placement in plan(snapshot).placements:
        request = requests[placement.job]
        for wish in (Near("", request.same, request.allow_cross_numa), *request.near):
            picks = [pick for need, pick in by_need(request, placement) if own(need, request) == wish.component]
            assert wish.allow_cross_numa or is_near(picks, wish.same, snapshot)


def by_need(request: Request, placement: Placement) -> list[tuple[Need, Pick]]:
    """Each pick with what it is for; what links carry comes after them."""
    slots = [need for need in request.needs for _ in range(need.count)]
    return list(zip(slots, placement.picks, strict=False))


def own(need: Need, request: Request) -> str:
    return need.component if need.component in {wish.component for wish in request.near} else ""


def is_near(picks: list[Pick], same: str, snapshot: Snapshot) -> bool:
    devices = {d.uuid: d for node in snapshot.nodes for d in node.devices}
    chosen = [devices[pick.device] for pick in picks]
    if same == "nvlink_island":
        return len({d.attributes.get("nvlink_island") for d in chosen if d.type == "gpu"}) <= 1
    if same == "pcie_root":
        return len({root_of(d, devices) for d in chosen if d.parent is not None}) <= 1
    return same == "node" or len({d.numa_node for d in chosen} - {None}) <= 1


@few
@given(snapshots() | trees())
def test_every_job_is_answered_once_and_needs_are_met_in_full(snapshot: Snapshot) -> None:
    made = plan(snapshot)
    answered = [p.job for p in made.placements] + [r.job for r in made.refusals]
    assert sorted(answered) == sorted(r.job for r in snapshot.queue)
    requests = {r.job: r for r in snapshot.queue}
    for placement in made.placements:
        met = by_need(requests[placement.job], placement)
        assert len(met) == sum(need.count for need in requests[placement.job].needs)
        assert all(need.type == pick.type for need, pick in met)
        assert {pick.type for pick in placement.picks[len(met) :]} <= {"link"}


@few
@given(snapshots() | trees())
def test_each_option_of_relaxations_really_fits(snapshot: Snapshot) -> None:
    for refusal in plan(snapshot).refusals:
        request = next(r for r in snapshot.queue if r.job == refusal.job)
        for option in {r.option for r in refusal.relaxations}:
            relaxed = apply(request, [r for r in refusal.relaxations if r.option == option])
            queue = tuple(relaxed if r.job == request.job else r for r in snapshot.queue)
            assert refusal.job in {p.job for p in plan(replace(snapshot, queue=queue)).placements}


@few
@given(snapshots() | trees())
def test_a_refusal_always_names_a_rule(snapshot: Snapshot) -> None:
    for refusal in plan(snapshot).refusals:
        assert refusal.nearest is not None and sum(refusal.counts.values()) >= 1
