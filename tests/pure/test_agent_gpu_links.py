"""NVLinks, MIG devices and ill health, as the driver tells of them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alldata.agent.probe.gpu import cards, links
from alldata.agent.probe.tree import Tree
from alldata.agent.probe.xid import XidWatch
from tests.pure.test_agent_gpu import driver, only, refuse

BUSES = ["0000:01:00.0", "0000:02:00.0", "0000:03:00.0"]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def bridged(joined: dict[int, list[int | None]], **changes: Any) -> Any:
    """Cards whose links lead to the cards listed (None: into a switch)."""

    def remote(card: int, link: int) -> Any:
        return SimpleNamespace(busId=f"0000{BUSES[joined[card][link] or 0]}")

    def state(card: int, link: int) -> int:
        return 1 if link < len(joined[card]) else refuse(3)()

    answers = {
        "nvmlDeviceGetCount": lambda: len(joined),
        "nvmlDeviceGetUUID": lambda card: f"GPU-{card}",
        "nvmlDeviceGetPciInfo": lambda card: SimpleNamespace(busId=f"0000{BUSES[card]}"),
        "nvmlDeviceGetNvLinkState": state,
        "nvmlDeviceGetNvLinkRemoteDeviceType": lambda card, link: 2 if joined[card][link] is None else 0,
        "nvmlDeviceGetNvLinkRemotePciInfo": remote,
        "nvmlDeviceGetFieldValues": lambda *_: [SimpleNamespace(nvmlReturn=0, value=SimpleNamespace(uiVal=25_000))],
    }
    return driver(**(answers | changes))


def pairs(tree: Tree, joined: dict[int, list[int | None]], **changes: Any) -> dict[str, Any]:
    found = links(cards(tree, "n1", bridged(joined, **changes), ""))
    return {f"{link.a[4:]}-{link.b[4:]}": link.attributes["links"] for link in found}


def test_the_number_of_links_belongs_to_a_pair(tree: Tree) -> None:
    assert pairs(tree, {0: [1, 1, 2], 1: [0, 0, 2], 2: [0, 1]}) == {"0-1": 2, "0-2": 1, "1-2": 1}


def test_behind_switches_the_poorer_card_decides(tree: Tree) -> None:
    assert pairs(tree, {0: [None] * 4, 1: [None] * 3}) == {"0-1": 3}


def test_a_card_counts_both_directions_of_all_its_links(tree: Tree) -> None:
    card = cards(tree, "n1", bridged({0: [1, 1], 1: [0, 0]}), "")[0].device
    assert card.capacities["nvlink_bandwidth"].value == 100_000_000_000


def test_a_link_of_unknown_speed_is_a_link_all_the_same(tree: Tree) -> None:
    found = cards(tree, "n1", bridged({0: [1], 1: [0]}, nvmlDeviceGetFieldValues=refuse(3)), "")
    assert found[0].device.capacities["nvlink_bandwidth"].reason == "nvlink_speed_unknown"
    assert links(found)[0].attributes["links"] == 1


def test_a_card_without_links_has_no_such_dimension(tree: Tree) -> None:
    assert "nvlink_bandwidth" not in only(cards(tree, "n1", driver(), "")).device.capacities


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
