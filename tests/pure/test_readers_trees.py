"""Recorded trees come as folders, archives or tables; what cannot be read is said by file and line."""

import gzip
import json
import tarfile
from pathlib import Path

import pytest

from alldata.agent.readers.registry import read_path
from tests.pure import agent_trees


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return agent_trees.two_sockets(tmp_path / "recorded")


def packed(tree: Path, place: Path) -> Path:
    archive = place / "any-name"
    with tarfile.open(archive, "w:bz2") as tar:
        tar.add(tree, arcname="host-1")
    return archive


def test_a_folder_and_its_archive_say_the_same(tree: Path, tmp_path: Path) -> None:
    folder, archive = read_path(tree), read_path(packed(tree, tmp_path))
    assert folder.facts == archive.facts
    assert folder.facts["nodes_id_cpus_memMiB"] == [[0, 4, 32768], [1, 4, 32768], [4, 0, 32768]]
    assert folder.facts["cpuless"] == [4]


def test_an_archive_that_climbs_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    with tarfile.open(tmp_path / "evil", "w") as tar:
        tar.add(tmp_path / "x", arcname="../../sys/x")
    assert "not a sound archive" in read_path(tmp_path / "evil").complaints[0].cause


def test_a_table_of_paths_and_values_is_a_tree(tmp_path: Path) -> None:
    values = {"sys/block/nvme0n1/size": "2048", "sys/block/nvme0n1/queue/nr_requests": "1023"}
    values |= {"sys/class/nvme/nvme0/sqsize": "1023", "sys/class/nvme/nvme0/queue_count": "5"}
    (tmp_path / "json").write_text(json.dumps(values))
    (tmp_path / "tsv").write_text("".join(f"/{path}\t{value}\n" for path, value in values.items()))
    for name in ("json", "tsv"):
        facts = read_path(tmp_path / name).facts
        assert (facts["queue_depth"], facts["io_queues"], facts["size_bytes"]) == (1023, 4, 2048 * 512)


def test_nodes_that_claim_the_same_cores_are_one(tmp_path: Path) -> None:
    agent_trees.base(tmp_path, cpus="0-3", memory_gib=8)
    agent_trees.write(tmp_path, {"sys/devices/system/node/online": "0-1"})
    for node in (0, 1):
        agent_trees.numa_node(tmp_path, node, cpus="0-3", memory_gib=4, distance="10 10")
    facts = read_path(tmp_path).facts
    assert (facts["numa_nodes"], facts["allowed"]["numa"], facts["allowed"]["pus"]) == (2, 1, 4)


def test_a_cpuset_mounted_the_old_way_confines(tree: Path) -> None:
    told = {"proc/mounts": "none /dev/cpuset cpuset rw 0 0", "proc/self/cpuset": "/job"}
    agent_trees.write(tree, told | {"dev/cpuset/job/cpus": "0-1", "dev/cpuset/job/mems": "0"})
    facts = read_path(tree)
    assert (facts.facts["allowed"]["pus"], facts.facts["allowed"]["numa"]) == (2, 1)
    assert facts.machine is not None
    assert [device.numa_node for device in facts.machine.devices if device.type == "memory"] == [0]


@pytest.mark.parametrize("content", [b"", b"\n\nhello\n", b"\x1f\x8bnot gzip", b'{"Devices": 5, "x": [1,'])
def test_what_nobody_can_read_is_a_complaint_with_the_files_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd").write_bytes(content)
    found = read_path(tmp_path / "odd")
    assert found.complaints[0].file == str(tmp_path / "odd")
    assert found.hosts == ()


def test_compressed_and_wide_texts_are_opened(tmp_path: Path) -> None:
    text = "No NUMA available on this system\r\n"
    (tmp_path / "a").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "b").write_bytes(text.encode("utf-16"))
    assert [read_path(tmp_path / name).kind for name in "ab"] == ["numactl", "numactl"]


@pytest.mark.parametrize(
    ("text", "form"),
    [("apiVersion: v1\nkind: Node\n", "-o json"), ("\n====NVSMI LOG====\n", "-q -x"), ("-[0000:00]-+-00.0\n", "-nn")],
)
def test_a_form_that_is_not_read_names_the_one_that_is(tmp_path: Path, text: str, form: str) -> None:
    (tmp_path / "f").write_text(text)
    assert form in read_path(tmp_path / "f").complaints[0].cause
