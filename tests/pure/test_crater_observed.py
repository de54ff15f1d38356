"""The demand mix is learned from what comes and what stays, and a board in use can be given new worths."""

from dataclasses import replace
from itertools import pairwise

import pytest

from scheduling.crater.board import Board
from scheduling.crater.compiled import FAST
from scheduling.crater.fleet import fleet
from scheduling.crater.market import market, shadow_prices
from scheduling.crater.model import Demand, Need, Node
from scheduling.crater.observed import FIRST, REMEMBERED, Observed
from scheduling.crater.reprice import reprice
from tests.pure.crater_cases import gpu, job

SMALL, LARGE = (Need("gpu", shares={"gpu_sm": 300_000}),), (Need("gpu", shares={"gpu_sm": 700_000}),)
NODES = tuple(Node(f"n{i}", (gpu(f"GPU-{i}a"), gpu(f"GPU-{i}b"))) for i in range(3))


def test_old_arrivals_are_forgotten_unless_they_are_still_there() -> None:
    observed = Observed()
    observed.saw("long", LARGE)
    observed.started("long")
    observed.saw("gone", LARGE)
    for _ in range(REMEMBERED):
        observed.saw("new", SMALL)
    assert observed.mix() == (Demand(LARGE, 1), Demand(SMALL, REMEMBERED))
    observed.ended("long")
    assert observed.mix() == (Demand(SMALL, REMEMBERED),)


def test_the_mix_does_not_depend_on_the_order_of_arrivals() -> None:
    one, other = Observed(), Observed()
    for first, second in (("a", "b"), ("a", "a")):
        one.saw(first, SMALL if first == "a" else LARGE)
        one.saw(second, SMALL if second == "a" else LARGE)
    for key in ("b", "a", "a", "a"):
        other.saw(key, SMALL if key == "a" else LARGE)
    assert one.mix() == other.mix()


def test_pricing_is_due_often_at_first_and_seldom_later() -> None:
    observed, due = Observed(), []
    for number in range(1, 4 * REMEMBERED):
        observed.saw("a", SMALL)
        if observed.is_due():
            due.append(number)
    assert due[:3] == [FIRST, 2 * FIRST, 4 * FIRST]
    assert max(b - a for a, b in pairwise(due)) <= REMEMBERED


@pytest.mark.parametrize("fast", {False, FAST})
def test_new_worths_choose_as_a_fresh_board_does(fast: bool) -> None:
    grid = fleet(NODES, {})
    mix = shadow_prices(NODES, (Demand(SMALL, 1), Demand(LARGE, 1)))
    used, fresh = Board(grid, market(grid, ()), fast=fast), Board(grid, market(grid, mix), fast=fast)
    shapes = [[board.shape(job("x", *needs), (0,)) for needs in (SMALL, LARGE)] for board in (used, fresh)]
    for board, (small, _) in zip((used, fresh), shapes, strict=True):
        found = board.place(small)
        assert found is not None
        board.move(found.row, found.slots, 1)
    reprice(used, market(grid, mix))
    order = (0, 1, 1, 0, 0, 0, 1, 0, 1)
    for i in order:
        one, other = used.place(shapes[0][i]), fresh.place(shapes[1][i])
        assert (one is None) == (other is None)
        assert one is None or other is None or (one.row, one.slots) == (other.row, other.slots)


def test_a_shape_that_fits_nowhere_has_no_worth_and_harms_no_other() -> None:
    plain = shadow_prices(NODES, (Demand(SMALL, 3), Demand(LARGE, 1)))
    huge = Demand((replace(LARGE[0], count=8, shares={"gpu_sm": 1_000_000}),), 5)
    assert [d.micro for d in shadow_prices(NODES, (*plain, huge))] == [*(d.micro for d in plain), 0]
