"""With each decision go its best candidates, with each refusal the nearest nodes and what every rule turned down."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.explain import refusal
from scheduling.crater.model import Node, Placement, Refusal, Snapshot
from scheduling.crater.place import place
from scheduling.crater.planner import Planner
from tests.pure.crater_cases import cluster, cores, job, plain_node, snapshots

few = settings(max_examples=60, deadline=None)


def alone(snapshot: Snapshot, node: Node) -> Snapshot:
    return replace(snapshot, nodes=(node,))


@few
@given(snapshots())
def test_the_candidates_are_exactly_the_nodes_where_it_fits(snapshot: Snapshot) -> None:
    for request in snapshot.queue:
        answer = Planner(snapshot, fast=False).place(request)
        fitting = {n.name for n in snapshot.nodes if Planner(alone(snapshot, n), fast=False).place(request)}
        if answer is not None:
            assert set(answer.best.nodes) == fitting and answer.candidates == len(fitting)


@few
@given(snapshots())
def test_the_chosen_node_leads_and_nobody_scores_more(snapshot: Snapshot) -> None:
    planner = Planner(snapshot, fast=False)
    for request in snapshot.queue:
        answer = planner.place(request)
        if answer is not None:
            assert answer.best.nodes[0] == answer.node
            assert list(answer.best.micro) == sorted(answer.best.micro, reverse=True)


def test_of_many_candidates_twenty_are_kept() -> None:
    nodes = [plain_node(f"n{i:03d}", cores=2 + i % 3) for i in range(100)]
    answer = Planner(cluster(*nodes), fast=False).place(job("a", cores(1000)))
    assert answer is not None and answer.candidates == 100 and len(set(answer.best.nodes)) == 20


def test_an_avoided_node_does_not_lead() -> None:
    planner = Planner(cluster(plain_node("a"), plain_node("b")), fast=False)
    answer = planner.place(job("j", cores(1000), avoid_nodes=("a",)))
    assert answer is not None and answer.best.nodes == ("b", "a")


@few
@given(snapshots(), st.lists(st.booleans(), min_size=10, max_size=10))
def test_quick_counts_are_those_of_the_full_account(snapshot: Snapshot, leave: list[bool]) -> None:
    planner, running = Planner(snapshot, fast=False), list[str]()
    for number, go in enumerate(leave if snapshot.queue else ()):
        request = replace(snapshot.queue[number % len(snapshot.queue)], job=f"j{number}")
        answer = planner.decide(request)
        if isinstance(answer, Placement):
            running.append(answer.job)
        elif planner.grid.nodes:
            assert answer.counts == exact(planner, request).counts
        if go and running:
            planner.give_back(running.pop(0))


def exact(planner: Planner, request: object) -> Refusal:
    """The account over every device; of nodes that are out of order the planner keeps no state."""
    scene = planner.scene
    usable = tuple(node for node in scene.snapshot.nodes if node.usable)
    found = refusal(request, planner.occupancy(), replace(scene, snapshot=replace(scene.snapshot, nodes=usable)), place)  # type: ignore[arg-type]
    if broken := len(scene.snapshot.nodes) - len(usable):
        return replace(found, counts={**found.counts, "unusable": found.counts.get("unusable", 0) + broken})
    return found


def test_devices_are_counted_in_large_clusters_too() -> None:
    nodes = [plain_node(f"n{i:03d}", used=3) for i in range(80)]
    answer = Planner(cluster(*nodes), fast=False).decide(job("a", cores(2000)))
    assert isinstance(answer, Refusal) and answer.counts == {"free": 80}


@few
@given(snapshots())
def test_the_nearest_nodes_are_ordered_by_what_they_lack(snapshot: Snapshot) -> None:
    planner = Planner(snapshot, fast=False)
    for request in snapshot.queue:
        answer = planner.decide(request)
        if isinstance(answer, Refusal):
            assert list(answer.closest.micro) == sorted(answer.closest.micro)
            assert not answer.closest.nodes or answer.nearest is None or answer.nearest.node == answer.closest.nodes[0]


def test_the_nearest_rows_lack_least() -> None:
    nodes = [plain_node(f"n{i}", cores=8, used=i) for i in (7, 3, 5)]
    planner = Planner(cluster(*nodes), fast=False)
    rows = planner.nearest(job("a", cores(6000)), 2)
    assert [planner.grid.nodes[row].name for row in rows] == ["n3", "n5"]
