"""Tiles: areas follow the amounts, nothing overlaps, the box is full."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alldata.portal.treemap import HEIGHT, WIDTH, tiles


@given(st.lists(st.integers(0, 10**15), max_size=30))
def test_every_amount_above_zero_has_its_area(amounts: list[int]) -> None:
    found = {tile.index: tile.width * tile.height for tile in tiles(amounts)}
    assert set(found) == {index for index, amount in enumerate(amounts) if amount > 0}
    for index, area in found.items():
        assert area == pytest.approx(WIDTH * HEIGHT * amounts[index] / sum(amounts), rel=1e-6)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=20))
def test_tiles_stay_inside_and_do_not_overlap(amounts: list[int]) -> None:
    found = tiles(amounts)
    assert all(t.x > -1e-6 and t.x + t.width < WIDTH + 1e-6 and t.y + t.height < HEIGHT + 1e-6 for t in found)
    for index, a in enumerate(found):
        for b in found[:index]:
            apart = a.x + a.width <= b.x + 1e-6 or b.x + b.width <= a.x + 1e-6
            assert apart or a.y + a.height <= b.y + 1e-6 or b.y + b.height <= a.y + 1e-6


def test_equal_amounts_are_near_squares() -> None:
    assert all(0.5 < tile.width / tile.height < 2 for tile in tiles([1] * 12))
