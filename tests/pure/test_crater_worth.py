"""A node is worth what it can still hold: GPUs beside full memory or without cores are worth little."""

from dataclasses import replace

import pytest

from scheduling.crater import kernels
from scheduling.crater.board import Board
from scheduling.crater.compiled import FAST
from scheduling.crater.fleet import fleet
from scheduling.crater.kernels import ROOM, WORTH
from scheduling.crater.market import market
from scheduling.crater.model import Demand, Need, Node
from scheduling.crater.worth import CORE_PRICES, ROOM_PRICES, Item, tables
from tests.pure.crater_cases import GIB, cores, cpu, gpu, job, memory


def room(gib: int) -> Need:
    return Need("memory", amounts={"memory_bytes": gib * GIB})


GPU = Need("gpu", shares={"gpu_sm": 1_000_000})
MIX = (Demand((cores(4000), room(48), GPU), 1, 1_000_000),)


def machine(name: str, *, cores_used: int = 0, gib: int = 192) -> Node:
    """Four GPUs, 32 cores, 192 GiB, with this much of it free."""
    stores = memory(name, gib=192)
    held = replace(stores, free={**stores.free, "memory_bytes": gib * GIB})
    return Node(name, (cpu(name, cores=32, used=cores_used), held, *(gpu(f"{name}-{i}") for i in range(4))))


def board(*nodes: Node, fast: bool = False) -> Board:
    grid = fleet(nodes, {})
    return Board(grid, market(grid, MIX), fast=fast)


def worth_of(made: Board, name: str) -> int:
    return int(made.arrays.nodes[made.grid.positions[name], WORTH])


def test_free_gpus_count_as_far_as_memory_and_cores_go() -> None:
    made = board(machine("a"), machine("b", gib=0), machine("c", gib=96), machine("d", cores_used=31))
    whole, full, half, starved = (worth_of(made, name) for name in "abcd")
    assert whole == 4_000_000 and 0 <= full < half < whole and 0 <= starved < half


@pytest.mark.parametrize("fast", {False, FAST})
def test_a_job_of_little_memory_goes_beside_full_memory(fast: bool) -> None:
    """Best fit alone would take the node with fewer cores left."""
    made = board(machine("a", cores_used=4), machine("b", gib=48), fast=fast)
    found = made.place(made.shape(job("small", cores(1000), room(1), GPU), [0]))
    assert found is not None and made.grid.nodes[found.row].name == "b"


@pytest.mark.parametrize("fast", {False, FAST})
def test_the_worth_that_was_expected_is_the_worth_afterwards(fast: bool) -> None:
    made = board(machine("a", gib=96), fast=fast)  # memory is what runs out first
    before = worth_of(made, "a")
    odd = Need("memory", amounts={"memory_bytes": 7 * GIB + 5})
    found = made.place(made.shape(job("odd", cores(2000), odd, GPU), [0]))
    assert found is not None and found.score + found.fit == worth_of(made, "a") - before
    assert made.arrays.nodes[0, ROOM] == 89 * GIB - 5


def test_each_price_is_of_cores_or_of_memory() -> None:
    assert (len(CORE_PRICES), len(CORE_PRICES + ROOM_PRICES)) == (kernels.CORE, kernels.PRICES)
    w, _ = tables([Item(50, 1, 1000, 1.0, 500_000, 2000)], 1)
    cheap, dear = w[50, 0], w[50, kernels.CORE :]
    assert cheap == 500_000 and dear.tolist() == [500_000 - price * 2000 for price in ROOM_PRICES]
