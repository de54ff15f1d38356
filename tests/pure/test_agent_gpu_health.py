"""MIG devices and ill health, as the driver tells of them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alldata.agent.probe.gpu import cards
from alldata.agent.probe.tree import Tree
from alldata.agent.probe.xid import XidWatch
from tests.pure.test_agent_gpu import driver, only, refuse


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def split(**changes: Any) -> Any:
    answers = {
        "nvmlDeviceGetMigMode": lambda _: [1, 1],
        "nvmlDeviceGetMaxMigDeviceCount": lambda _: 7,
        "nvmlDeviceGetMigDeviceHandleByIndex": lambda _, index: f"part{index}" if index < 2 else refuse(6)(),
        "nvmlDeviceGetUUID": lambda handle: f"MIG-{handle}" if isinstance(handle, str) else "GPU-aaaa",
        "nvmlDeviceGetName": lambda handle: f"X MIG 3g.20gb{handle}" if isinstance(handle, str) else "X A100",
        "nvmlDeviceGetAttributes_v2": lambda _: SimpleNamespace(multiprocessorCount=42, memorySizeMB=20096),
    }
    return driver(**(answers | changes))


def test_a_split_card_gives_its_parts_and_not_itself(tree: Tree) -> None:
    card = only(cards(tree, "n1", split(), ""))
    assert card.device.capacities["gpu_sm"].reason == "split_into_mig_devices"
    assert [part.uuid for part in card.parts] == ["MIG-part0", "MIG-part1"]
    assert {part.attributes["sm_count"] for part in card.parts} == {42}
    assert card.parts[0].capacities["gpu_memory_bytes"].value == 20096 << 20


def test_a_mode_that_waits_for_a_reset_is_told(tree: Tree) -> None:
    card = only(cards(tree, "n1", driver(nvmlDeviceGetMigMode=lambda _: [0, 1]), "")).device
    assert (card.attributes["mig"], card.attributes["mig_pending"]) == (False, True)


def test_memory_rows_that_failed_degrade_a_card(tree: Tree) -> None:
    card = only(cards(tree, "n1", driver(nvmlDeviceGetRemappedRows=lambda _: (0, 1, 0, 1)), "")).device
    assert (card.health, card.degraded_reason) == ("degraded", "memory_row_remapping_failed")


@pytest.mark.parametrize(("xid", "health"), [(79, "lost"), (119, "degraded"), (31, "ok")])
def test_an_xid_decides_whether_a_card_is_given_out(tree: Tree, xid: int, health: str) -> None:
    assert only(cards(tree, "n1", driver(), "", {"GPU-aaaa": xid})).device.health == health


def test_a_deadly_xid_is_remembered_when_milder_ones_follow() -> None:
    waiting = [SimpleNamespace(device=0, eventData=number) for number in (31, 79, 13)]
    events = {
        "nvmlEventSetCreate": object,
        "nvmlDeviceRegisterEvents": lambda *_: None,
        "nvmlEventSetWait_v2": lambda *_: waiting.pop(0) if waiting else refuse(10)(),
    }
    watch = XidWatch(driver(**events))
    assert watch.look() == {"GPU-aaaa": 79}
    assert watch.look() == {"GPU-aaaa": 79}
