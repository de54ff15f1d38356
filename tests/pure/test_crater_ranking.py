"""The best nodes by their blocks: NumPy finds those that the kernel finds, in its order."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.arrays import BLOCK, C_END, C_START, RANKED, Arrays
from scheduling.crater.compiled import python
from scheduling.crater.kernels import NEVER, Ints, Small
from scheduling.crater.planner import Planner
from scheduling.crater.ranking import Blocks, Ranked, rank
from tests.pure.crater_cases import cluster, plain_node

#: As many classes as blocks: more than are looked at one by one.
VARIED = [plain_node(f"n{i:03d}", cores=2 + i % 90) for i in range(200)]
FEW = [plain_node(f"n{i:03d}", cores=2 + i % 3) for i in range(200)]
ARRAYS = [Planner(cluster(*nodes), fast=False).board.arrays for nodes in (VARIED, FEW)]
seeds = st.integers(0, 2**32 - 1)


def by_kernel(a: Arrays, own: Small, points: Ints) -> Ranked:
    blocks = [at for start, end in a.classes[:, [C_START, C_END]].tolist() for at in range(start, end, BLOCK)]
    count = python(rank)(a, (own, np.maximum.reduceat(own, blocks)), points, RANKED)
    rows, totals = a.ranked[:, :count].tolist()
    return rows, totals


def drawn(rng: np.random.Generator, size: int, spread: int) -> Ints:
    """Small figures, so that many are equal; some are NEVER."""
    values: Ints = rng.integers(-spread, spread, size)
    return np.where(rng.random(size) < rng.random(), NEVER, values)


def test_one_of_the_clusters_has_many_blocks() -> None:
    assert [Blocks(a).is_many for a in ARRAYS] == [True, False]


@settings(deadline=None)
@given(st.sampled_from(ARRAYS), seeds, st.sampled_from((1, 5, 10**6)))
def test_the_best_are_those_of_the_kernel(a: Arrays, seed: int, spread: int) -> None:
    rng, blocks = np.random.default_rng(seed), Blocks(a)
    own, points = drawn(rng, len(a.nodes), spread).astype(np.int32), drawn(rng, len(a.points), spread)
    ranked, fitting = blocks.ranked((own, blocks.tops(own)[0]), points, RANKED)
    assert ranked == by_kernel(a, own, points)
    assert fitting == np.count_nonzero(own > NEVER)


@settings(deadline=None)
@given(st.sampled_from(ARRAYS), seeds, st.sampled_from((1, 5, 10**6)))
def test_the_nearest_are_those_of_the_kernel(a: Arrays, seed: int, spread: int) -> None:
    blocks, close = Blocks(a), drawn(np.random.default_rng(seed), len(a.nodes), spread).astype(np.int32)
    assert blocks.nearest(close, RANKED) == by_kernel(a, close, np.zeros_like(a.points))
