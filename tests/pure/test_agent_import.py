"""Saved outputs become one node that is shown, marked, and never placed on."""

import json
from pathlib import Path
from typing import Any

import pytest

from alldata.agent import wire
from alldata.agent.__main__ import main
from tests.pure import agent_trees
from tests.pure.agent_portal import KEY, portal
from tests.pure.test_readers_smi import card, log
from tests.pure.test_readers_topo import TABS

SLURM = "NodeName=n{0} CPUTot=4 RealMemory=1000 Gres=gpu:1 State=IDLE\n"
NUMACTL = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3 4 5 6 7\nnode 0 size: 1000 MB\n"
NUMACTL += "node 1 cpus: 8 9 10 11 12 13 14 15\nnode 1 size: 2000 MB\n"


def saved(directory: Path, *texts: str) -> list[str]:
    for number, text in enumerate(texts):
        (directory / f"f{number}").write_text(text)
    return [str(directory / f"f{number}") for number in range(len(texts))]


def imported(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["import", "--dry-run", *words]) in (0, 1)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_files_of_one_machine_are_put_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = saved(tmp_path, log(card("3B"), card("3C")), TABS, NUMACTL)
    found = imported(capsys, *files)
    cards = [device for device in found["devices"] if device["type"] == "gpu"]
    assert [(card["numa_node"], card["capacities"]["gpu_memory_bytes"]["value"] >> 20) for card in cards] == [
        (0, 24564),
        (1, 24564),
    ]
    assert found["links"][0]["attributes"]["links"] == 4
    assert found["cores"] == 16


def test_every_device_is_marked_and_cannot_be_placed_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(capsys, *saved(tmp_path, NUMACTL))
    assert {(d["health"], d["degraded_reason"], d["attributes"]["imported"]) for d in found["devices"]} == {
        ("degraded", "imported", True)
    }
    assert found["engine"] == "imported"


def test_a_card_that_any_file_calls_lost_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
    found = imported(capsys, *saved(tmp_path, log(card("3B"), card("3C")), kernel))
    assert [d["degraded_reason"] for d in found["devices"] if d["type"] == "gpu"] == ["xid_79", "imported"]


def test_scrubbed_ids_do_not_melt_cards_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = log(card("3B"), card("3C")).replace("GPU-3C", "GPU-3B")
    found = imported(capsys, *saved(tmp_path, text))
    assert sum(device["type"] == "gpu" for device in found["devices"]) == 2


def test_a_total_that_nobody_split_is_shared_out_and_called_estimated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = imported(capsys, *saved(tmp_path, SLURM.format(1), "node 0 cpus: 0 1\nnode 1 cpus: 2 3\n"))
    memory = [d["capacities"]["memory_bytes"] for d in found["devices"] if d["type"] == "memory"]
    assert [(m["value"] >> 20, m["quality"]) for m in memory] == [(500, "estimated")] * 2


def test_of_several_machines_one_must_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = saved(tmp_path, SLURM.format(1) + SLURM.format(2))
    assert main(["import", "--dry-run", *files]) == 2
    assert "choose one with --host: n1, n2" in capsys.readouterr().err
    assert imported(capsys, *files, "--host", "n2")["hostname"] == "n2"


def test_what_cannot_be_read_is_named_and_the_rest_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = saved(tmp_path, "hello\n", NUMACTL)
    assert main(["import", "--dry-run", *files, str(tmp_path / "absent")]) == 1
    printed = capsys.readouterr()
    assert f"{files[0]}:1: no reader knows this kind of file" in printed.err
    assert "absent" in printed.err
    assert json.loads(printed.out)["cores"] == 16


def test_a_recorded_tree_keeps_what_the_probe_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = agent_trees.two_sockets(tmp_path / "tree")
    found = imported(capsys, str(root), "--name", "rec")
    assert {d["uuid"] for d in found["devices"]} >= {"rec/numa0/cpu", "rec/numa4/memory", "rec/storage/nvme0n1"}


def test_the_node_reaches_the_portal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "key").write_text(KEY)
    with portal() as server:
        words = ["--server", server.url, "--key-file", str(tmp_path / "key"), "--name", "lab-1"]
        assert main(["import", *words, *saved(tmp_path, NUMACTL)]) == 0
    (message,) = server.registrations
    assert isinstance(message, wire.Register)
    assert capsys.readouterr().out.startswith("lab-1: 4 devices imported")


def test_a_folder_of_outputs_is_read_file_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved(tmp_path, NUMACTL, "timeout: failed to run command 'nvidia-smi': No such file or directory\n# exit 127\n")
    assert main(["import", "--dry-run", str(tmp_path)]) == 1
    printed = capsys.readouterr()
    assert "f1:1: the command failed: timeout" in printed.err
    assert json.loads(printed.out)["cores"] == 16
