"""Shadow prices: what a job is worth when the cluster is full."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.interior import Programme, solve
from scheduling.crater.shadow import Stock, Wanted, prices
from scheduling.crater.worth import Item, blended, tables

CPU_FREE = (0,)


def wanted(level: int, share: float = 1.0, count: int = 1) -> Wanted:
    return Wanted(share, count, ((level, CPU_FREE),))


def priced(*mix: Wanted) -> list[float]:
    return [round(price, 3) for price in prices([Stock(10, 8, (1,))], mix)]


def test_what_strands_the_rest_costs_a_whole_device() -> None:
    assert priced(wanted(81)) == [1.0]


def test_three_thirds_share_a_device() -> None:
    assert priced(wanted(33)) == [0.333]


def test_two_that_only_fit_together_in_pairs_cost_half_each() -> None:
    assert priced(wanted(45)) == [0.5]


def test_what_fits_into_the_waste_of_others_is_free() -> None:
    assert priced(wanted(81, 0.6), wanted(16, 0.4)) == [1.0, 0.0]


def test_whole_devices_cost_what_they_are() -> None:
    assert priced(wanted(100, 0.5), wanted(100, 0.5, count=4)) == [1.0, 4.0]


def test_no_demand_and_no_devices_have_no_prices() -> None:
    assert priced() == [] and prices([Stock(3, 0, (1,))], [wanted(50)]) == [0.0]


def test_the_solver_ends_in_the_middle_of_equal_optima() -> None:
    """max x + y with x + y <= 1: a vertex would give one of them everything."""
    row, column, value = np.zeros(3, dtype=np.int64), np.arange(3), np.ones(3)
    x, y = solve(Programme(row, column, value, np.ones(1), np.array([-1.0, -1.0, 0.0]), 1, 1))
    assert np.allclose(x, [0.5, 0.5, 0], atol=1e-6) and np.allclose(y, [-1], atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 100), st.integers(0, 9)), min_size=1, max_size=6), st.integers(0, 60))
def test_more_room_is_never_worth_less(asked: list[tuple[int, int]], level: int) -> None:
    items = [Item(size, 1, cores * 1000, 1.0, blended(size / 100, size, 1)) for size, cores in asked]
    w, full = tables(items, 4)
    assert (np.diff(w[:100], axis=0) >= 0).all() and (np.diff(full, axis=0) >= 0).all()
    assert (w[level] <= full[1]).all()


def test_where_cores_run_out_first_gpus_are_priced_by_packing_alone() -> None:
    starving = Wanted(1.0, 1, ((45, (90,)),))
    assert [round(price, 3) for price in prices([Stock(10, 8, (100,))], [starving])] == [0.5]
