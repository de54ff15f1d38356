"""Cards that no driver answers for, and cards of other makers, are shown with what sysfs and /proc tell."""

from pathlib import Path

import pytest

from alldata.agent.probe.machine import Driver, inspect
from alldata.agent.probe.tree import Tree
from alldata.agent.surroundings import selinux_enforces
from alldata.agent.wire import Device
from tests.pure import agent_trees

CARD = "0000:01:00.0"


def only_card(root: Path, files: dict[str, str], **more: str) -> Device:
    agent_trees.base(root, cpus="0", memory_gib=1)
    agent_trees.pci_card(root, CARD, files)
    agent_trees.write(root, more)
    machine = inspect("n1", root=root, driver=Driver(why_not="driver_not_loaded"))
    (card,) = (device for device in machine.devices if device.type == "gpu")
    return card


def test_the_drivers_notes_name_a_card_that_does_not_answer(tmp_path: Path) -> None:
    notes = {f"proc/driver/nvidia/gpus/{CARD}/information": "Model: \t NVIDIA A30\nIRQ: 5"}
    card = only_card(tmp_path, {"vendor": "0x10de", "class": "0x030200"}, **notes)
    assert (card.model, card.degraded_reason) == ("NVIDIA A30", "driver_not_loaded")


def test_a_card_of_another_maker_is_shown_and_not_given_out(tmp_path: Path) -> None:
    files = {"vendor": "0x1002", "class": "0x038000", "mem_info_vram_total": str(192 << 30), "numa_node": "1"}
    card = only_card(tmp_path, files)
    assert (card.vendor, card.health, card.numa_node) == ("AMD", "degraded", 1)
    assert card.capacities["gpu_memory_bytes"].value == 192 << 30
    assert card.capacities["gpu_sm"].reason == "maker_not_metered"


@pytest.mark.parametrize(("mode", "enforces"), [("1", True), ("0", False)])
def test_selinux_counts_only_while_it_enforces(tmp_path: Path, mode: str, enforces: bool) -> None:
    agent_trees.write(tmp_path, {"sys/fs/selinux/enforce": mode})
    assert selinux_enforces(Tree(tmp_path)) is enforces
