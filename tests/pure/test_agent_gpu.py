"""What the probe makes of the driver's answers, with a stand-in for the driver's binding."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alldata.agent.probe.gpu import Card, cards
from alldata.agent.probe.nvml import Nvml
from alldata.agent.probe.tree import Tree
from tests.pure import agent_trees


class Refusal(Exception):
    """The stand-in's NVMLError."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


def refuse(code: int) -> Any:
    def call(*_: object) -> None:
        raise Refusal(code)

    return call


def driver(**changes: Any) -> Nvml:
    """An A100 40 GB at 0000:01:00.0 behind driver 550."""
    answers: dict[str, Any] = {
        "NVMLError": Refusal,
        "NVML_CLOCK_MEM": 2,
        "nvmlDeviceGetCount": lambda: 1,
        "nvmlDeviceGetHandleByIndex": lambda index: index,
        "nvmlDeviceGetUUID": lambda _: "GPU-aaaa",
        "nvmlDeviceGetName": lambda _: b"NVIDIA A100-SXM4-40GB",
        "nvmlSystemGetDriverVersion": lambda: "550.54.15",
        "nvmlDeviceGetPciInfo": lambda _: SimpleNamespace(busId=b"00000000:01:00.0"),
        "nvmlDeviceGetCudaComputeCapability": lambda _: (8, 0),
        "nvmlDeviceGetNumGpuCores": lambda _: 6912,
        "nvmlDeviceGetMigMode": lambda _: [0, 0],
        "nvmlDeviceGetMemoryInfo": lambda _: SimpleNamespace(total=42_949_672_960, used=0),
        "nvmlDeviceGetMaxClockInfo": lambda *_: 1215,
        "nvmlDeviceGetMemoryBusWidth": lambda _: 5120,
        "nvmlDeviceGetMaxPcieLinkGeneration": lambda _: 4,
        "nvmlDeviceGetMaxPcieLinkWidth": lambda _: 16,
    }
    return Nvml(SimpleNamespace(**(answers | changes)))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(agent_trees.two_sockets(tmp_path))


def only(found: tuple[Card, ...]) -> Card:
    (card,) = found
    return card


def test_a_card_has_its_uuid_place_and_capacities(tree: Tree) -> None:
    card = only(cards(tree, "n1", driver(), "")).device
    assert (card.uuid, card.numa_node, card.parent, card.health) == ("GPU-aaaa", 1, "n1/link/0000:00:01.0", "ok")
    assert card.attributes["sm_count"] == 108
    assert {name: capacity.value for name, capacity in card.capacities.items()} == {
        "gpu_sm": 1_000_000,
        "gpu_memory_bytes": 42_949_672_960,
        "hbm_bandwidth": 1_555_200_000_000,
        "pcie_bandwidth": 31_507_692_307,
    }
    assert card.capacities["hbm_bandwidth"].quality == "estimated"


def test_a_value_the_card_cannot_give_is_missing_with_the_reason(tree: Tree) -> None:
    card = only(cards(tree, "n1", driver(nvmlDeviceGetMemoryBusWidth=refuse(13)), "")).device
    assert card.capacities["hbm_bandwidth"].reason == "not_supported_by_driver"
    assert card.health == "ok"


def test_a_driver_below_the_floor_degrades_the_card(tree: Tree) -> None:
    card = only(cards(tree, "n1", driver(nvmlSystemGetDriverVersion=lambda: "470.82.01"), "")).device
    assert (card.health, card.degraded_reason) == ("degraded", "driver_below_510.47.3")


def test_below_the_floor_bandwidths_are_unknown_and_memory_is_not(tree: Tree) -> None:
    card = only(cards(tree, "n1", driver(nvmlSystemGetDriverVersion=lambda: "470.82.01"), "")).device
    assert card.capacities["hbm_bandwidth"].reason == "driver_below_510.47.3"
    assert card.capacities["pcie_bandwidth"].value is None
    assert card.capacities["gpu_memory_bytes"].value == 42_949_672_960


def test_a_lost_card_does_not_hide_the_others(tree: Tree) -> None:
    def handle(index: int) -> int:
        return refuse(15)() if index == 0 else index

    both = cards(tree, "n1", driver(nvmlDeviceGetCount=lambda: 2, nvmlDeviceGetHandleByIndex=handle), "")
    assert [(card.device.health, card.device.degraded_reason) for card in both] == [
        ("ok", None),
        ("lost", "gpu_is_lost"),
    ]


def test_a_card_on_the_bus_that_the_driver_has_lost_is_one_device(tree: Tree) -> None:
    card = only(cards(tree, "n1", driver(nvmlDeviceGetHandleByIndex=refuse(15)), "")).device
    assert (card.uuid, card.health, card.degraded_reason) == ("n1/gpu/0000:01:00.0", "lost", "gpu_is_lost")
