"""Measuring is bounded, marked as measured, kept for a day, and only where it was measured."""

import json
import os
import time
from pathlib import Path

import pytest

from alldata.agent import bench, calibrate
from alldata.agent.calibrate import KEEP_MS, Calibration
from alldata.agent.probe.machine import Machine, inspect
from tests.pure import agent_trees

DISK = bench.Disk(iops=5000, bandwidth=10**9, latency_us=80, is_direct=True)
FOUND = Calibration(1000, 8, {0: 10**10}, "nvme0n1", DISK)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return inspect("n1", root=agent_trees.two_sockets(tmp_path / "tree"))


def test_a_memory_copy_is_timed_within_its_budget() -> None:
    begun = time.monotonic()
    rate = bench.memory_bandwidth(tuple(os.sched_getaffinity(0)), 0.1, 1 << 40)
    assert rate is not None
    assert rate > 10**8
    assert time.monotonic() - begun < 3


def test_no_room_no_memory_measurement() -> None:
    assert bench.memory_bandwidth((0,), 0.1, 1 << 20) is None


def test_a_disk_is_measured_and_left_clean(tmp_path: Path) -> None:
    found = bench.disk(tmp_path, 0.3)
    assert found is not None
    assert found.iops > 0
    assert found.bandwidth > 0
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_not_measured(tmp_path: Path) -> None:
    assert bench.disk(tmp_path / "absent", 0.3) is None


def test_measured_values_replace_missing_ones_where_they_were_measured(machine: Machine) -> None:
    devices = {d.uuid: d for d in calibrate.apply(machine.devices, FOUND)}
    memory = devices["n1/numa0/memory"].capacities["memory_bandwidth"]
    assert (memory.value, memory.source, memory.quality, memory.at_ms) == (10**10, "measured", "measured", 1000)
    assert devices["n1/numa1/memory"].capacities["memory_bandwidth"].quality == "missing"
    assert devices["n1/storage/nvme0n1"].capacities["storage_iops"].value == 5000
    assert devices["n1/storage/nvme0n1"].attributes["latency_us"] == 80


def test_a_result_through_the_page_cache_is_only_a_proxy(machine: Machine) -> None:
    cached = Calibration(1000, 8, {}, "nvme0n1", bench.Disk(1, 1, 1, is_direct=False))
    drive = next(d for d in calibrate.apply(machine.devices, cached) if d.type == "storage")
    assert drive.capacities["storage_iops"].quality == "proxy"


def test_a_kept_result_serves_for_a_day(tmp_path: Path, machine: Machine) -> None:
    calibrate.save(tmp_path, FOUND)
    assert calibrate.load(tmp_path, machine, 1000 + KEEP_MS - 1) == FOUND
    assert calibrate.load(tmp_path, machine, 1000 + KEEP_MS) is None


@pytest.mark.parametrize("change", [{"cpus": 4}, {"disk": 5}, {"memory_bandwidth": []}, {"at_ms": None}])
def test_a_result_of_another_machine_or_shape_does_not_serve(
    tmp_path: Path, machine: Machine, change: dict[str, object]
) -> None:
    (tmp_path / calibrate.FILE).write_text(json.dumps(FOUND.as_json() | change))
    assert calibrate.load(tmp_path, machine, 2000) is None
