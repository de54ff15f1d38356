"""What jobs ask for is priced beside the planner, once while it stays the same, and the planner sees it."""

import pytest

from scheduling.crater.model import Demand
from scheduling.models import Device, DeviceCapacity, Job, Node, ObservedMix
from scheduling.services.mix import observe
from scheduling.snapshot import build_snapshot
from tests.world import NOW, FlatRates, home, submitted

PRICES = FlatRates()


@pytest.fixture
def jobs() -> list[Job]:
    """A node with two GPUs, three jobs of two shapes, and one that fits nowhere."""
    viewer = home()
    node = Node.objects.create(name="g1", engine="fake", registered_ms=NOW, seen_ms=NOW)
    gpu = {"capacity_gpu_sm": 1_000_000, "capacity_gpu_memory_bytes": 80 << 30}
    for kind, amounts in (("cpu", {"capacity_cpu_millicores": 16_000}), ("memory", {"capacity_memory_bytes": 1 << 40}),
                          ("gpu", gpu), ("gpu", gpu)):  # fmt: skip
        name = f"{kind}-{Device.objects.count()}"
        device = Device.objects.create(uuid=name, node=node, type=kind, name=name, numa_node=0)
        DeviceCapacity.objects.create(device=device, valid_from_ms=NOW, **amounts)
    rows = [submitted(viewer, profile="", mode="", legacy_gpu=count) for count in (1, 1, 2, 9)]
    return [Job.objects.get(pk=row.id) for row in rows]


def mix() -> tuple[Demand, ...]:
    return build_snapshot(prices=PRICES, now_ms=NOW).mix


def test_shapes_are_counted_and_priced(jobs: list[Job]) -> None:
    assert mix() == ()
    assert observe(prices=PRICES, now_ms=NOW)
    found = {sum(need.count for need in d.needs if need.type == "gpu"): d for d in mix()}
    assert (found[1].weight, found[2].weight, found[9].micro) == (100, 50, 0)
    assert 0 < (found[1].micro or 0) < (found[2].micro or 0) < 3_000_000


def test_the_same_demand_is_priced_once(jobs: list[Job]) -> None:
    assert observe(prices=PRICES, now_ms=NOW)
    assert not observe(prices=PRICES, now_ms=NOW + 10_000)
    Job.objects.filter(pk=jobs[2].pk).update(demand=jobs[0].demand)
    assert observe(prices=PRICES, now_ms=NOW + 20_000)
    assert (len(mix()), ObservedMix.objects.count()) == (2, 1)


def test_jobs_under_way_count_beside_arrivals(jobs: list[Job]) -> None:
    """Four came and the largest runs: of five voices it has two."""
    Job.objects.filter(pk=jobs[2].pk).update(state="active")
    assert observe(prices=PRICES, now_ms=NOW)
    assert {d.needs[-1].count: d.weight for d in mix()} == {1: 80, 2: 80, 9: 40}


def test_without_gpus_there_is_nothing_to_price() -> None:
    submitted(home())
    assert not observe(prices=PRICES, now_ms=NOW)
    assert mix() == ()
