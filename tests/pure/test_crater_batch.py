"""Without machine code nodes are scored and judged many at a time: to the last bit as the kernels do one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater import batch, columns, near, scoring
from scheduling.crater.compiled import python
from scheduling.crater.kernels import NEVER
from scheduling.crater.model import Snapshot
from scheduling.crater.planner import Planner
from tests.pure.crater_cases import snapshots
from tests.pure.crater_trees import trees

few = settings(max_examples=40, deadline=None)
worlds = st.one_of(snapshots(), trees())


def used(snapshot: Snapshot) -> Planner:
    """A planner with all jobs of the queue placed that fit."""
    planner = Planner(snapshot, fast=False)
    for request in snapshot.queue:
        planner.place(request)
    return planner


def compiled(planner: Planner) -> list[tuple[int, int, columns.Program]]:
    """(shape, class, program) of all that the planner knows."""
    a, shapes = planner.board.arrays, [shape.number for shape in planner.shapes.values() if shape.number >= 0]
    classes = range(len(planner.grid.classes))
    return [(shape, table, columns.program(a, a.programs[shape, table])) for shape in shapes for table in classes]


def rows_of(planner: Planner, table: int) -> range:
    group = planner.grid.classes[table]
    return range(group.start, group.start + len(group.names))


@few
@given(worlds)
def test_scores_in_batches_are_those_of_the_kernel(snapshot: Snapshot) -> None:
    planner = used(snapshot)
    a, plain = planner.board.arrays, planner.board.plain
    assert plain is not None
    for shape, table, program in compiled(planner):
        if program.choices and not program.is_shared:
            rows = rows_of(planner, table)
            found = batch.scores(a.nodes[rows], a.book[table], program, plain._weights(shape))
            assert found.tolist() == [plain._evaluate(shape, row)[0] for row in rows]


@few
@given(worlds)
def test_verdicts_in_batches_are_those_of_the_kernel(snapshot: Snapshot) -> None:
    planner = used(snapshot)
    a, plain = planner.board.arrays, planner.board.plain
    assert plain is not None
    for shape in (shape.number for shape in planner.shapes.values() if shape.number >= 0):
        close, verdicts = plain.surveys.judged(shape, plain.blocks.all)
        rows = [tuple(a.programs[shape, table].tolist()) for table in plain.blocks.class_of.tolist()]
        found = [python(near.judged)(a.nodes, a.code, a.shares, node, row) for node, row in enumerate(rows)]
        lacks = [-int(lack) if lack < near.NOWHERE else NEVER for lack, _ in found]
        assert list(zip(close.tolist(), verdicts.tolist(), strict=True)) == [
            (lack, int(verdict)) for lack, (_, verdict) in zip(lacks, found, strict=True)
        ]


@few
@given(worlds)
def test_what_is_derived_in_batches_is_what_the_kernel_derives(snapshot: Snapshot) -> None:
    a = used(snapshot).board.arrays
    before = a.nodes.copy()
    for node in range(len(a.nodes)):
        python(scoring.appraise)(a, node)
    assert np.array_equal(before, a.nodes)
