"""Usage of attempts: differences of what the shim counted, exactly once, whenever we look."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alldata.agent.attempts import REMEMBER_MS, Attempts, Places, devices_of, parse_usage
from alldata.agent.spool import Counters
from alldata.agent.wire import AttemptUsage, DeviceUsage, Usage

PLACES = Places({0: "n/c0", 1: "n/c1"}, {0: "n/m0", 1: "n/m1", 4: "n/m4"}, {0: 0, 1: 0, 2: 1, 3: 1}, "n/s")


def run(runs: Path, key: str, at_ms: int, **counters: Any) -> None:
    """What the shim writes."""
    whole = {"at_ms": at_ms, "cpu_us": 0, "memory_byte_ms": 0, "memory_bytes": 0, "memory_peak_bytes": 0}
    whole |= {"read_ios": 0, "write_ios": 0, "read_bytes": 0, "write_bytes": 0, "elapsed_ms": at_ms}
    draft = runs / key / "usage.new"
    draft.parent.mkdir(exist_ok=True)
    draft.write_text(json.dumps(whole | {"source": "cgroup", "quality": "measured"} | counters))
    draft.replace(runs / key / "usage.json")


def close(
    attempts: Attempts, reported: dict[str, Counters], at_ms: int
) -> tuple[dict[str, AttemptUsage], dict[str, Counters]]:
    attempts.look(at_ms)
    usages, after = attempts.close(reported, PLACES, at_ms)
    attempts.settled(at_ms)
    return {usage.device: usage for usage in usages}, after


def test_an_attempt_between_two_looks_is_reported_whole(tmp_path: Path) -> None:
    run(tmp_path, "a", 500, cpu_us=300, memory_byte_ms=900, read_ios=2, write_ios=1, write_bytes=7)
    found, _ = close(Attempts(tmp_path), {}, 2000)
    assert found["n/c0"].dims["cpu_millicores"].q == 300
    assert found["n/m0"].dims["memory_bytes"].q == 900
    assert found["n/s"].dims["storage_iops"].q == 3 * 1000
    assert found["n/s"].dims["storage_bandwidth"].q == 7 * 1000


def test_only_the_difference_is_reported_and_then_nothing(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path)
    run(tmp_path, "a", 500, cpu_us=300)
    _, after = close(attempts, {}, 2000)
    run(tmp_path, "a", 2500, cpu_us=1000)
    found, after = close(attempts, after, 4000)
    assert (found["n/c0"].dims["cpu_millicores"].q, found["n/c0"].start_ms, found["n/c0"].end_ms) == (700, 500, 2500)
    assert close(attempts, after, 6000)[0] == {}


@given(st.lists(st.tuples(st.integers(0, 10**9), st.booleans()), min_size=1, max_size=12))
def test_any_pattern_of_restarts_reports_the_total_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, bool]]
) -> None:
    runs = tmp_path_factory.mktemp("runs")
    attempts, total, seen = Attempts(runs), 0, 0
    after: dict[str, Counters] = {}
    for number, (amount, restarts) in enumerate(steps, 1):
        total += amount
        run(runs, "a", number * 1000, cpu_us=total)
        found, after = close(Attempts(runs) if restarts else attempts, after, number * 1000)
        seen += sum(usage.dims["cpu_millicores"].q or 0 for usage in found.values() if usage.device == "n/c0")
    assert seen == total


def test_counters_that_start_again_are_not_paid_twice(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path)
    run(tmp_path, "a", 500, cpu_us=300)
    _, after = close(attempts, {}, 1000)
    run(tmp_path, "a", 1500, cpu_us=100)
    found, after = close(attempts, after, 2000)
    assert found["n/c0"].dims["cpu_millicores"].q == 0
    assert after["a"]["cpu_us"] == 300


def test_what_the_engine_does_not_count_is_missing(tmp_path: Path) -> None:
    run(tmp_path, "a", 500, read_ios=None)
    found, _ = close(Attempts(tmp_path), {}, 1000)
    usage = found["n/s"].dims["storage_iops"]
    assert (usage.q, usage.quality, usage.reason) == (None, "missing", "not_counted_by_the_engine")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"cpu_us": 5}', '{"at_ms": "x"}'])
def test_a_torn_or_foreign_usage_file_waits(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "usage.json").write_text(text)
    assert close(Attempts(tmp_path), {}, 1000) == ({}, {})


def test_a_vanished_attempt_is_remembered_for_a_while(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path)
    run(tmp_path, "a", 500, cpu_us=300)
    _, after = close(attempts, {}, 1000)
    shutil.rmtree(tmp_path / "a")
    _, after = close(attempts, after, 2000)
    assert "a" in after
    assert close(attempts, after, 2000 + REMEMBER_MS)[1] == {}


def test_an_unreadable_runs_directory_forgets_nothing(tmp_path: Path) -> None:
    gone = Attempts(tmp_path / "unmounted")
    table: dict[str, Counters] = {"a": {"at_ms": 1, "cpu_us": 5}}
    for at_ms in (0, REMEMBER_MS, 2 * REMEMBER_MS):
        assert close(gone, table, at_ms) == ({}, table)


@pytest.mark.parametrize(
    ("spec", "devices"),
    [
        ({}, {"cpu": "n/c0", "memory": "n/m0", "storage": "n/s"}),
        ({"numa_nodes": [1]}, {"cpu": "n/c1", "memory": "n/m1", "storage": "n/s"}),
        ({"numa_nodes": [4, 1]}, {"cpu": "n/c1", "memory": "n/m4", "storage": "n/s"}),
        ({"cpus": [2, 3], "numa_nodes": "?"}, {"cpu": "n/c1", "memory": "n/m1", "storage": "n/s"}),
        ({"meta": {"devices": {"cpu": "x"}}}, {"cpu": "x", "memory": "n/m0", "storage": "n/s"}),
    ],
)
def test_usage_goes_to_the_devices_of_the_spec(spec: dict[str, Any], devices: dict[str, str]) -> None:
    assert devices_of(spec, PLACES) == devices


def test_the_peak_is_the_kernels_high_water_mark_when_it_rose(tmp_path: Path) -> None:
    run(tmp_path, "a", 500, memory_bytes=5, memory_peak_bytes=90)
    found, _ = close(Attempts(tmp_path), {}, 1000)
    assert found["n/m0"].dims["memory_bytes"].peak == 90


def on_gpus(runs: Path, *keys: str) -> dict[str, Usage]:
    """What attempts that all name GPU-1 are told of it."""
    attempts = Attempts(runs)
    for key in keys:
        run(runs, key, 500)
        (runs / key / "spec.json").write_text(json.dumps({"gpu_uuids": ["GPU-1"]}))
    attempts.look(1000)
    usages, _ = attempts.close({}, PLACES, 1000)
    card = DeviceUsage("GPU-1", {"gpu_sm": Usage(70, "driver", "proxy", 9, 1000)})
    return {usage.key: usage.dims["gpu_sm"] for usage in attempts.on_gpus(usages, [card])}


def test_a_card_of_ones_own_is_metered_by_its_own_reading(tmp_path: Path) -> None:
    assert on_gpus(tmp_path, "a") == {"a": Usage(70, "driver", "proxy", 9, 1000)}


def test_nobody_knows_who_kept_a_shared_card_busy(tmp_path: Path) -> None:
    gap = Usage(None, "driver", "missing", reason="shared_card")
    assert on_gpus(tmp_path, "a", "b") == {"a": gap, "b": gap}


def test_negative_counters_are_not_counters() -> None:
    metered = parse_usage({"at_ms": 1, "cpu_us": -5})
    assert metered is not None
    assert metered.counters == {}
