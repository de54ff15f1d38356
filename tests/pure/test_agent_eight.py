"""A recorded server with eight cards replays completely: places, links, drives, fabric, and how fast."""

import json
import time
from pathlib import Path

import pytest

from alldata.agent.__main__ import main
from alldata.agent.host import examine
from alldata.agent.loop import Probe, Setup
from alldata.agent.wire import Device
from tests.pure import eight_gpus

PROBE_BUDGET_S = 0.3


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    directory = tmp_path_factory.mktemp("eight")
    return Probe(Setup("dgx", directory / "runs", directory / "state", root=eight_gpus.build(directory / "tree")))


def devices(probe: Probe, kind: str) -> list[Device]:
    return [device for device in probe.machine.devices if device.type == kind]


def test_every_card_is_there_well_and_on_its_socket(probe: Probe) -> None:
    cards = devices(probe, "gpu")
    assert [card.uuid for card in cards] == [eight_gpus.uuid(index) for index in range(8)]
    assert [card.numa_node for card in cards] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert {card.health for card in cards} == {"ok"}


def test_two_cards_share_one_root_port(probe: Probe) -> None:
    parents = [card.parent for card in devices(probe, "gpu")]
    assert len(set(parents)) == 4
    assert parents[0] == parents[1] != parents[2]


def test_every_pair_of_cards_is_joined_through_the_switches(probe: Probe) -> None:
    joined = [link for link in probe.machine.links if link.kind == "nvlink"]
    assert len(joined) == 8 * 7 // 2
    assert {link.attributes["links"] for link in joined} == {eight_gpus.LINKS}
    assert joined[0].capacities["nvlink_bandwidth"].value == 2 * 18 * 26_562 * 10**6


def test_a_link_knows_its_speed_now_and_at_most(probe: Probe) -> None:
    card = devices(probe, "gpu")[0]
    assert card.attributes["max_link_speed"] == "32.0 GT/s PCIe"
    assert card.attributes["current_link_width"] == "16"
    assert card.capacities["pcie_bandwidth"].value == 63_015_384_615


def test_a_drive_tells_what_it_could_do_and_what_is_in_force(probe: Probe) -> None:
    drive = devices(probe, "storage")[0]
    assert drive.attributes["family"] == "PM9A3"
    assert drive.attributes["max_queue_entries"] == 0x4000
    assert (drive.attributes["queue_depth"], drive.attributes["hardware_queues"]) == (1023, 64)


def test_infiniband_cards_have_their_rate_and_socket(probe: Probe) -> None:
    cards = devices(probe, "network")
    assert [card.name for card in cards] == [f"mlx5_{index}" for index in range(8)]
    assert {card.capacities["network_bandwidth"].value for card in cards} == {50_000_000_000}
    assert cards[7].numa_node == 1


def test_the_host_is_told_what_spoils_placement(probe: Probe) -> None:
    notes = {setting.name: setting for setting in examine(probe.tree, probe.machine.devices) if not setting.ok}
    assert set(notes) == {"kernel.numa_balancing", "GPU persistence mode"}
    assert notes["GPU persistence mode"].now == "off on 8 of 8"


def test_probing_is_quick(probe: Probe) -> None:
    begun = time.process_time()
    probe.look()
    assert time.process_time() - begun < PROBE_BUDGET_S


def test_the_command_prints_the_recorded_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = eight_gpus.build(tmp_path / "tree")
    assert main(["probe", "--json", "--name", "dgx", "--spool", str(tmp_path), "--root", str(root)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert sum(device["type"] == "gpu" for device in facts["devices"]) == 8
    assert facts["simulated"] is True


def test_a_card_knows_the_switches_above_it(probe: Probe) -> None:
    card = devices(probe, "gpu")[7]
    assert card.attributes["pcie_path"] == "0000:18:01.0,0000:46:00.0"
    assert card.attributes["upstream_pci_bus_id"] == "0000:46:00.0"
