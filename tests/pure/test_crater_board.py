"""The kept arrays: equal with and without machine code, and true to what is free."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.compiled import FAST
from scheduling.crater.kernels import LEVELS
from scheduling.crater.model import Need, Placement, Price, Refusal, Runtime, Snapshot
from scheduling.crater.planner import Planner
from tests.pure.crater_cases import cluster, cores, gpu_node, job, plain_node, snapshots
from tests.pure.crater_trees import trees

few = settings(max_examples=40, deadline=None)


def answers(snapshot: Snapshot, leave: list[bool], *, fast: bool) -> list[Placement | Refusal]:
    """Every request in turn; after some of them the oldest job leaves."""
    planner, running = Planner(snapshot, fast=fast), list[str]()
    found: list[Placement | Refusal] = []
    for request, go in zip(snapshot.queue * 3, leave, strict=False):
        answer = planner.decide(replace(request, job=f"{request.job}/{len(found)}"))
        found.append(answer)
        running += [answer.job] if isinstance(answer, Placement) else []
        if go and running:
            planner.give_back(running.pop(0))
    return found


@pytest.mark.skipif(not FAST, reason="numba is not installed")
@few
@given(snapshots() | trees(), st.lists(st.booleans(), min_size=15, max_size=15))
def test_machine_code_never_changes_an_answer(snapshot: Snapshot, leave: list[bool]) -> None:
    assert answers(snapshot, leave, fast=True) == answers(snapshot, leave, fast=False)


@few
@given(snapshots() | trees())
def test_giving_everything_back_leaves_the_cluster_as_it_was(snapshot: Snapshot) -> None:
    planner = Planner(snapshot, fast=False)
    before = planner.board.arrays.nodes.copy()
    placed = [a.job for r in snapshot.queue if isinstance(a := planner.decide(r), Placement)]
    for name in placed:
        planner.give_back(name)
    assert (planner.board.arrays.nodes == before).all()
    assert planner._cores == Planner(snapshot)._cores


@few
@given(snapshots() | trees())
def test_a_kept_planner_decides_as_a_new_one(snapshot: Snapshot) -> None:
    planner = Planner(snapshot, fast=False)
    for request in snapshot.queue:
        answer = planner.place(request)
        if answer is not None:
            planner.give_back(request.job)
        assert answer == Planner(snapshot, fast=False).place(request)


def test_more_shapes_than_are_kept_are_compiled_again() -> None:
    planner = Planner(cluster(plain_node(cores=64)), fast=False)
    names = [planner.place(job(f"j{i}", cores(1000 + i % 3))) for i in range(6)]
    planner.board.forget()
    planner.shapes.clear()
    assert all(names) and planner.place(job("again", cores(1000))) is not None
    planner.give_back("j0")
    assert planner.board.free(0)[0] >= 0


@few
@given(snapshots() | trees())
def test_a_quick_reason_names_a_rule_and_a_node(snapshot: Snapshot) -> None:
    planner = Planner(snapshot, fast=False)
    for request in snapshot.queue:
        answer = planner.decide(request)
        if isinstance(answer, Refusal):
            assert answer.nearest is not None and sum(answer.counts.values()) >= 1


def test_a_node_s_row_says_what_is_free() -> None:
    planner = Planner(cluster(gpu_node()), fast=False)
    planner.place(job("a", cores(1000), Need("gpu", shares={"gpu_sm": 250_000})))
    assert np.sort(planner.board.arrays.nodes[0, LEVELS : LEVELS + 2]).tolist() == [75, 100]


def test_a_negative_amount_fits_nowhere_and_gives_nothing() -> None:
    planner = Planner(cluster(plain_node()), fast=False)
    assert planner.place(job("a", cores(-4000))) is None
    assert planner.place(job("b", cores(5000))) is None


def test_a_cap_is_named_with_its_own_figures_each_time() -> None:
    price = Price("n1/numa0/cpu", "cpu_millicores", 4_000_000_000)
    planner = Planner(cluster(plain_node(), prices=(price,)), fast=False)
    hour = Runtime(3_600_000, 3_600_000, "declared")
    found = [planner.decide(job("a", cores(1000), cap_nano=cap, runtime=hour)) for cap in (7, 9)]
    assert [r.nearest and (r.nearest.rule, r.nearest.have) for r in found if isinstance(r, Refusal)] == [
        ("cap", 7),
        ("cap", 9),
    ]
