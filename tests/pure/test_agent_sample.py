"""From readings to windows: exact differences, integrated levels, and gaps that stay gaps."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from alldata.agent.probe.machine import inspect
from alldata.agent.probe.tree import Tree
from alldata.agent.sample import MAX_HOLD_MS, Reading, Sampler, read_all
from alldata.agent.wire import Usage
from tests.pure import agent_trees

SLOT = ("d", "x")


def counter(value: int | None, reason: str | None = None) -> Reading:
    return Reading(value, True, reason=reason)


def level(value: int | None) -> Reading:
    return Reading(value, False)


def window(*looks: tuple[int, Reading]) -> Usage:
    sampler = Sampler()
    for at_ms, reading in looks:
        sampler.look({SLOT: reading}, at_ms)
    return sampler.peek()[0].dims["x"]


@given(st.lists(st.integers(0, 10**12), min_size=2, max_size=20))
def test_windows_of_a_counter_add_up_to_its_growth(steps: list[int]) -> None:
    sampler, value, total = Sampler(), 0, 0
    for at_s, step in enumerate(steps):
        value += step
        sampler.look({SLOT: counter(value)}, at_s * 1000)
        total += sampler.peek()[0].dims["x"].q or 0
        sampler.clear()
    assert total == sum(steps[1:])


def test_the_first_look_is_only_a_baseline() -> None:
    assert window((0, counter(500))).quality == "missing"


def test_a_level_is_integrated_between_looks() -> None:
    assert window((0, level(10)), (1000, level(20)), (2000, level(20))) == Usage(35_000, "sysfs", "measured", 20, 2000)


def test_nobody_saw_the_level_during_a_long_silence() -> None:
    assert window((0, level(10)), (60_000, level(10))).coverage_ms == MAX_HOLD_MS


def test_a_counter_that_falls_is_a_gap_and_not_a_negative_amount() -> None:
    usage = window((0, counter(100)), (1000, counter(5)), (2000, counter(8)))
    assert (usage.q, usage.coverage_ms) == (3, 1000)


def test_a_source_that_does_not_answer_is_missing_with_its_reason() -> None:
    usage = window((0, counter(None, "no_stat")), (1000, counter(None, "no_stat")))
    assert (usage.q, usage.quality, usage.reason) == (None, "missing", "no_stat")


def test_the_peak_is_the_highest_rate_between_looks() -> None:
    assert window((0, counter(0)), (1000, counter(2_000)), (2000, counter(2_500))).peak == 2


def stat_line(cpu: int, user_ticks: int) -> str:
    return f"cpu{cpu} {user_ticks} 0 0 1000 50 0 0 7 0 0"


def test_cpu_time_is_read_per_numa_node_in_microseconds(tmp_path: Path) -> None:
    root = agent_trees.two_sockets(tmp_path)
    lines = [stat_line(cpu, 100 if cpu < 4 else 200) for cpu in range(8)]
    agent_trees.write(root, {"proc/stat": "\n".join(lines)})
    found = read_all(Tree(root), inspect("n1", root=root), None)
    assert found["n1/numa0/cpu", "cpu_millicores"].value == 4 * 1_000_000
    assert found["n1/numa1/cpu", "cpu_millicores"].value == 8 * 1_000_000


def test_disk_counters_are_in_units_of_q(tmp_path: Path) -> None:
    root = agent_trees.two_sockets(tmp_path)
    found = read_all(Tree(root), inspect("n1", root=root), None)
    assert found["n1/storage/nvme0n1", "storage_iops"].value == 30 * 1000
    assert found["n1/storage/nvme0n1", "storage_bandwidth"].value == 240 * 512 * 1000
    assert found["n1/storage/nvme0n1", "storage_queue_slots"].value == 7


def test_memory_in_use_leaves_out_what_can_be_taken_back(tmp_path: Path) -> None:
    root = agent_trees.two_sockets(tmp_path)
    where = "sys/devices/system/node/node0/meminfo"
    agent_trees.write(root, {where: "Node 0 MemTotal: 100 kB\nNode 0 MemUsed: 50 kB\nNode 0 Inactive(file): 20 kB"})
    found = read_all(Tree(root), inspect("n1", root=root), None)
    assert found["n1/numa0/memory", "memory_bytes"].value == 30 * 1024
