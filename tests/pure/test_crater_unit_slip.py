"""A wrong unit is suspected where the figures say so, and nowhere else."""

import pytest

from scheduling.crater.model import Constraint, Need
from scheduling.crater.unit_slip import unit_slips
from tests.pure.crater_cases import gpu_node, plain_node

GB_S = 10**9


def bandwidth(gb_s: int) -> Need:
    return Need("gpu", amounts={"hbm_bandwidth": gb_s * GB_S})


@pytest.mark.parametrize(
    ("gb_s", "factor"), [(1_555_000, 1000), (384_000, 1000), (1_555 * 8, 8), (1_555 * 10**6, 10**6)]
)
def test_a_factor_of_units_is_named(gb_s: int, factor: int) -> None:
    (slip,) = unit_slips([bandwidth(gb_s)], [gpu_node()])
    assert (slip.dimension, slip.most, slip.factor) == ("hbm_bandwidth", 1_555 * GB_S, factor)
    assert slip.ratio == pytest.approx(gb_s / 1_555, abs=0.1)


@pytest.mark.parametrize("gb_s", [1, 1_555, 2_039, 1_555 * 50])
def test_a_large_wish_is_no_slip(gb_s: int) -> None:
    assert unit_slips([bandwidth(gb_s)], [gpu_node()]) == ()


def test_minimum_rules_are_looked_at_too() -> None:
    need = Need("cpu", constraints=(Constraint("cpu_millicores", "min", 4_000_000),))
    assert [slip.factor for slip in unit_slips([need], [plain_node(cores=4)])] == [1000]


def test_where_no_such_device_is_nothing_is_compared() -> None:
    assert unit_slips([bandwidth(384_000)], [plain_node()]) == ()
    assert unit_slips([bandwidth(384_000)], []) == ()
