"""How often is a node booked whose jobs run on?"""

import pytest

from costing.services.agenda import pace_ms


@pytest.mark.parametrize(("nodes", "pace"), [(1, 10_000), (20, 10_000), (100, 50_000), (5_000, 300_000)])
def test_a_large_fleet_is_booked_less_often(nodes: int, pace: int) -> None:
    assert pace_ms(nodes) == pace
