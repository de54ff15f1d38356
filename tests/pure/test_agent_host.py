"""Settings that spoil placement: value, wish, reason and command. What does not apply here is not mentioned."""

from pathlib import Path

import pytest

from alldata.agent.__main__ import main
from alldata.agent.host import Setting, examine
from alldata.agent.probe.tree import Tree
from tests.pure import agent_trees

NVME = {"sys/module/nvme_core/parameters/default_ps_max_latency_us": "100000", "sys/class/nvme/nvme0/model": "X"}
CARD = "0000:01:00.0"


def found(root: Path, files: dict[str, str]) -> dict[str, Setting]:
    agent_trees.write(root, files)
    return {setting.name: setting for setting in examine(Tree(root), ())}


def test_a_bare_machine_has_nothing_to_say(tmp_path: Path) -> None:
    assert found(tmp_path, {}) == {}


def test_drives_that_doze(tmp_path: Path) -> None:
    setting = found(tmp_path, NVME)["nvme_core.default_ps_max_latency_us"]
    assert (setting.now, setting.wanted, setting.ok) == ("100000", "0", False)
    assert "nvme_core.default_ps_max_latency_us=0" in setting.command


@pytest.mark.parametrize(("nodes", "names"), [(1, []), (2, ["kernel.numa_balancing"])])
def test_balancing_matters_only_between_nodes(tmp_path: Path, nodes: int, names: list[str]) -> None:
    files = {f"sys/devices/system/node/node{node}/cpulist": "0" for node in range(nodes)}
    assert list(found(tmp_path, files | {"proc/sys/kernel/numa_balancing": "1"})) == names


@pytest.mark.parametrize(("region", "ok"), [({}, False), ({"sys/bus/nd/devices/region0/size": "1"}, True)])
def test_persistent_memory_in_memory_mode(tmp_path: Path, region: dict[str, str], ok: bool) -> None:
    assert found(tmp_path, region | {"sys/bus/nd/devices/nmem0/state": "idle"})["persistent memory"].ok is ok


@pytest.mark.parametrize(("name", "ok"), [("nouveau", False), ("nvidia", True)])
def test_which_driver_has_the_card(tmp_path: Path, name: str, ok: bool) -> None:
    agent_trees.pci_card(tmp_path, CARD, {"vendor": "0x10de", "class": "0x030200"})
    agent_trees.write(tmp_path, {f"sys/bus/pci/drivers/{name}/module": name})
    agent_trees.link(tmp_path, f"sys/devices/pci0000:00/{CARD}/driver", f"sys/bus/pci/drivers/{name}")
    assert found(tmp_path, {})["GPU driver"].ok is ok


def test_a_mixture_of_governors_is_told_as_it_is(tmp_path: Path) -> None:
    files = {
        f"sys/devices/system/cpu/cpu{n}/cpufreq/scaling_governor": g for n, g in enumerate(("powersave", "performance"))
    }
    assert found(tmp_path, files)["cpufreq governor"].now == "performance, powersave"


@pytest.mark.parametrize(("kind", "ok"), [("DMA-FQ", False), ("identity", True)])
def test_translation_between_cards(tmp_path: Path, kind: str, ok: bool) -> None:
    assert found(tmp_path, {"sys/kernel/iommu_groups/0/type": kind})["IOMMU"].ok is ok


def test_the_doctor_needs_no_portal_for_the_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent_trees.base(tmp_path, cpus="0", memory_gib=1)
    agent_trees.write(tmp_path, NVME)
    assert main(["doctor", "--root", str(tmp_path)]) == 0
    assert "note  nvme_core.default_ps_max_latency_us: 100000, wanted 0" in capsys.readouterr().out
