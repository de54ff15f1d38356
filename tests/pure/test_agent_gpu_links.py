"""NVLinks, as the driver tells of them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alldata.agent.probe.gpu import cards, links
from alldata.agent.probe.tree import Tree
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
