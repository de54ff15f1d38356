"""The grid that the heatmap draws: one byte a cell, missing is never zero, proxies are marked."""

from dataclasses import dataclass
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from monitoring.heatmap import MISSING, Group, build_grid, percent_byte


@dataclass(frozen=True)
class Cell:
    node: str
    device: str
    dimension: str
    percent: float | None
    quality: str = "measured"


CELLS = st.lists(
    st.builds(
        Cell,
        st.sampled_from(["n1", "n2"]),
        st.sampled_from(["d1", "d2", "d3"]),
        st.sampled_from(["gpu_sm", "hbm_bandwidth", "cpu_millicores"]),
        st.none() | st.floats(0, 100),
        st.sampled_from(["measured", "proxy"]),
    ),
    unique_by=lambda cell: (cell.device, cell.dimension),
)


def test_cells_are_percent_or_missing() -> None:
    grid = build_grid(
        [Cell("n1", "d1", "gpu_sm", 62.5), Cell("n1", "d2", "gpu_sm", None), Cell("n1", "d2", "memory_bytes", 0.0)]
    )
    assert grid.rows == ("memory_bytes", "gpu_sm")
    assert list(grid.cells) == [MISSING, 0, 63, MISSING]


def test_columns_are_grouped_by_node() -> None:
    grid = build_grid([Cell("n2", "c", "gpu_sm", 1), Cell("n1", "b", "gpu_sm", 1), Cell("n1", "a", "gpu_sm", 1)])
    assert grid.groups == (Group("n1", 0, 2), Group("n2", 2, 1))
    assert grid.columns == ("a", "b", "c")


def test_values_that_are_not_measured_are_marked() -> None:
    grid = build_grid([Cell("n1", "a", "gpu_sm", 5, "proxy"), Cell("n1", "b", "gpu_sm", 5)])
    assert grid.proxy == bytes([0b1000_0000])


@given(CELLS, st.randoms(use_true_random=False))
def test_the_order_of_values_does_not_matter(cells: list[Cell], random: Random) -> None:
    consistent = [c for c in cells if c.node == ("n1" if c.device != "d3" else "n2")]
    assert build_grid(random.sample(consistent, len(consistent))) == build_grid(consistent)


@given(st.floats(-10, 1000))
def test_a_byte_is_a_percent(percent: float) -> None:
    assert 0 <= percent_byte(percent) <= 100
