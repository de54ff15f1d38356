"""What the probe says of recorded machines: what is there, what is not, and what is not known."""

from pathlib import Path

import pytest

from alldata.agent.probe import cgroup, pcie
from alldata.agent.probe.machine import Driver, Machine, inspect
from alldata.agent.probe.tree import Tree, parse_list, parse_mask, show_list
from alldata.agent.wire import Device
from tests.pure import agent_trees

GIB = 1 << 30


def device(machine: Machine, uuid: str) -> Device:
    return next(d for d in machine.devices if d.uuid == uuid)


def amount(machine: Machine, uuid: str, dimension: str) -> int | None:
    return device(machine, uuid).capacities[dimension].value


@pytest.fixture
def big(tmp_path: Path) -> Machine:
    return inspect("n1", root=agent_trees.two_sockets(tmp_path), driver=Driver(why_not="library_not_found"))


@pytest.fixture
def vm(tmp_path: Path) -> Machine:
    return inspect("n1", root=agent_trees.small_vm(tmp_path))


def test_numa_nodes_keep_their_sparse_ids_and_distances(big: Machine) -> None:
    assert [pool.node for pool in big.pools] == [0, 1, 4]
    assert big.pools[2].distances == {"0": 17, "1": 28, "4": 10}


def test_each_numa_node_with_cores_is_a_cpu_device(big: Machine) -> None:
    assert amount(big, "n1/numa1/cpu", "cpu_millicores") == 4000
    assert not any(d.uuid == "n1/numa4/cpu" for d in big.devices)


def test_a_memory_only_node_is_a_pool_without_cores(big: Machine) -> None:
    assert amount(big, "n1/numa4/memory", "memory_bytes") == 32 * GIB
    assert device(big, "n1/numa4/memory").attributes["memory_only"] is True


def test_memory_of_cards_that_looks_like_a_numa_node_is_not_the_hosts(tmp_path: Path) -> None:
    root = agent_trees.two_sockets(tmp_path)
    agent_trees.write(root, {"proc/driver/nvidia/gpus/0000:01:00.0/numa_status": "Node:      4\nStatus:    online"})
    assert [pool.node for pool in inspect("n1", root=root).pools] == [0, 1]


def test_a_kernel_without_online_files_still_has_nodes_and_cpus(tmp_path: Path) -> None:
    root = agent_trees.two_sockets(tmp_path)
    for name in ("node/online", "cpu/online"):
        (root / "sys/devices/system" / name).unlink()
    agent_trees.write(root, {f"sys/devices/system/cpu/cpu{cpu}/topology/core_id": str(cpu) for cpu in range(8)})
    assert [(pool.node, len(pool.cpus)) for pool in inspect("n1", root=root).pools] == [(0, 4), (1, 4), (4, 0)]


def test_memory_bandwidth_is_missing_until_measured(big: Machine) -> None:
    capacity = device(big, "n1/numa0/memory").capacities["memory_bandwidth"]
    assert (capacity.value, capacity.quality, capacity.reason) == (None, "missing", "not_calibrated")


def test_nvme_depth_is_what_is_in_force_and_the_admin_queue_does_not_count(big: Machine) -> None:
    assert device(big, "n1/storage/nvme0n1").attributes["queue_depth"] == 512
    assert amount(big, "n1/storage/nvme0n1", "storage_queue_slots") == 512 * 8


def test_a_drive_knows_its_place(big: Machine) -> None:
    drive = device(big, "n1/storage/nvme0n1")
    assert (drive.numa_node, drive.parent, drive.model) == (1, "n1/link/0000:00:02.0", "TEST NVME")
    assert drive.attributes["interface"] == "nvme"
    assert amount(big, drive.uuid, "storage_bytes") == 2_000_000 * 512


def test_a_root_port_has_the_capacity_of_its_slot(big: Machine) -> None:
    assert amount(big, "n1/link/0000:00:01.0", "pcie_bandwidth") == 31_507_692_307
    assert {(found.a, found.b) for found in big.links} == {
        ("n1/link/0000:00:01.0", "n1/gpu/0000:01:00.0"),
        ("n1/link/0000:00:02.0", "n1/storage/nvme0n1"),
    }


def test_a_card_without_a_driver_is_degraded_and_not_absent(big: Machine) -> None:
    card = device(big, "n1/gpu/0000:01:00.0")
    assert (card.health, card.degraded_reason, card.numa_node) == ("degraded", "library_not_found", 1)
    assert card.capacities["gpu_sm"].value is None


def test_a_vm_without_numa_is_one_pool(vm: Machine) -> None:
    assert [(pool.node, pool.cpus, pool.memory_bytes) for pool in vm.pools] == [(0, (0, 1), 4 * GIB)]
    assert "numa_unknown" in vm.gaps


def test_pseudo_and_empty_block_devices_are_left_out(vm: Machine) -> None:
    assert [d.uuid for d in vm.devices if d.type == "storage"] == ["n1/storage/vda"]


def test_a_machine_without_gpu_has_none(vm: Machine) -> None:
    assert not [d for d in vm.devices if d.type == "gpu"]


def test_a_container_sees_its_share(tmp_path: Path) -> None:
    machine = inspect("n1", root=agent_trees.container(tmp_path))
    assert machine.pools[0].cpus == (1,)
    assert amount(machine, "n1/numa0/cpu", "cpu_millicores") == 500
    assert amount(machine, "n1/numa0/memory", "memory_bytes") == GIB


def test_version_1_limits_count_on_the_way_to_our_group(tmp_path: Path) -> None:
    where = "sys/fs/cgroup/memory"
    files = {f"{where}/memory.limit_in_bytes": str(2**63 - 4096), f"{where}/pod/memory.limit_in_bytes": str(GIB)}
    agent_trees.write(tmp_path, files | {"proc/self/cgroup": "4:memory:/pod/c1"})
    assert cgroup.limits(Tree(tmp_path)) == cgroup.Limits("v1", memory_bytes=GIB)


def test_the_limits_of_the_agents_own_unit_are_not_the_nodes(tmp_path: Path) -> None:
    where = "sys/fs/cgroup/system.slice/alldata-agent.service"
    files = {"sys/fs/cgroup/cgroup.controllers": "memory", f"{where}/memory.max": "100000000"}
    agent_trees.write(tmp_path, files | {"proc/self/cgroup": "0::/system.slice/alldata-agent.service"})
    assert cgroup.limits(Tree(tmp_path)).memory_bytes is None


def test_an_empty_tree_is_a_machine_of_gaps(tmp_path: Path) -> None:
    machine = inspect("n1", root=tmp_path)
    assert machine.devices == ()
    assert set(machine.gaps) == {"no_cpu_found", "no_memory_found", "no_storage_found", "numa_unknown"}


def test_the_same_tree_gives_the_same_facts(tmp_path: Path) -> None:
    agent_trees.two_sockets(tmp_path)
    assert inspect("n1", root=tmp_path) == inspect("n1", root=tmp_path)


def test_cpu_lists_read_and_show() -> None:
    assert parse_list("0-2,8,nonsense") == (0, 1, 2, 8)
    assert show_list((0, 1, 2, 8)) == "0-2,8"
    assert parse_mask("00000001,00000005") == (0, 2, 32)


@pytest.mark.parametrize(
    ("speed", "width", "rate"), [(2.5, 1, 250_000_000), (8.0, 16, 15_753_846_153), (9.0, 16, None)]
)
def test_link_speed_counts_payload(speed: float, width: int, rate: int | None) -> None:
    assert pcie.lane_bandwidth(speed, width) == rate


def test_driver_and_kernel_addresses_meet() -> None:
    assert pcie.normal_address("00000000:3B:00.0") == "0000:3b:00.0"
    assert pcie.normal_address("10000:01:00.0") == "10000:01:00.0"


@pytest.mark.parametrize(
    ("card", "slot", "bandwidth"),
    [
        ({"max_link_speed": "16.0 GT/s PCIe", "max_link_width": "16"}, {}, 31_507_692_307),
        ({"max_link_speed": "16.0 GT/s PCIe", "max_link_width": "16", "current_link_width": "8"}, {}, 15_753_846_153),
        (
            {"max_link_speed": "16.0 GT/s PCIe", "max_link_width": "16"},
            {"max_link_speed": "8.0 GT/s PCIe"},
            15_753_846_153,
        ),
        ({"max_link_speed": "Unknown", "max_link_width": "255"}, {}, None),
    ],
)
def test_a_link_is_as_good_as_card_and_slot_together(
    tmp_path: Path, card: dict[str, str], slot: dict[str, str], bandwidth: int | None
) -> None:
    agent_trees.pci_card(tmp_path, "0000:00:01.0", slot | {"class": "0x060400"})
    agent_trees.pci_card(tmp_path, "0000:00:01.0/0000:01:00.0", card)
    assert pcie.place(Tree(tmp_path), "0000:01:00.0").bandwidth.value == bandwidth


@pytest.mark.parametrize(
    ("vendor", "device", "expected"),
    [
        ("0x10de", "0x20b0", "10de:20b0"),
        ("0x10DE", "0x20B0", "10de:20b0"),
        ("0x10de", "", None),
        ("nvidia", "0x1", None),
    ],
)
def test_a_card_says_what_kind_it_is(tmp_path: Path, vendor: str, device: str, expected: str | None) -> None:
    where = "sys/bus/pci/devices/0000:01:00.0"
    agent_trees.write(tmp_path, {f"{where}/vendor": vendor, f"{where}/device": device})
    assert pcie.place(Tree(tmp_path), "0000:01:00.0").attributes.get("pci_id") == expected
