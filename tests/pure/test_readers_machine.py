"""Cores, memory and NUMA nodes from the commands that list them."""

from tests.pure.reading import host, reading

HWLOC = """<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="{version}">
<object type="Machine"><object type="Package"><info name="CPUModel" value="Test"/>
<object type="NUMANode" os_index="0" cpuset="0x00000003" local_memory="1073741824"/>
<object type="NUMANode" os_index="4" cpuset="0x0" local_memory="2147483648"/>
<object type="Core"><object type="PU"/><object type="PU"/></object></object>
<object type="Bridge"><object type="PCIDev" pci_busid="0000:17:00.0" pci_type="0302 [10de:20b0] [10de:1] a1">
<object type="OSDev" name="cuda0" osdev_type="{coproc}"/></object>
<object type="PCIDev" pci_type="0200 [8086:1]"><object type="OSDev" name="eth0" osdev_type="{network}"/></object>
</object></object><distances2 type="NUMANode" name="NUMALatency" indexing="os">
<indexes>0 4</indexes><u64values>10 17 17 10</u64values></distances2></topology>"""
V2, V3 = HWLOC.format(version="2.0", coproc=5, network=2), HWLOC.format(version="3.0", coproc=8, network=16)


def test_both_versions_of_hwloc_give_the_same_machine() -> None:
    two, three = reading(V2).facts, reading(V3).facts
    assert {name for name in two if two[name] != three[name]} == {"hwloc_xml_version"}
    assert (three["numa"], three["cpuless_numa"], three["coproc"], three["osdevs"]) == (2, 1, ["cuda0"], ["eth0"])


def test_hwloc_tells_distances_cards_and_adapters() -> None:
    found = host(V3)
    assert found.cells[0].distances == {0: 10, 4: 17}
    assert [(card.vendor, card.bus) for card in found.accelerators] == [("NVIDIA", "0000:17:00.0")]
    assert [card.name for card in found.adapters] == ["eth0"]


NUMACTL = "available: 2 nodes (0,3)\nnode 0 cpus: 0 1\nnode 0 size: 100 MB\nnode 3 cpus:\nnode 3 size: 0 MB\n"
NUMACTL += "node distances:\nnode   0   3\n  0:  10  17\n  3:  17  10\n"


def test_sparse_nodes_without_cpus_or_memory_stay_nodes() -> None:
    facts = reading(NUMACTL).facts
    assert (facts["nodes"], facts["memoryless"], facts["cpuless"]) == (2, [3], [3])
    assert facts["nearest"]["3"] == 0


def test_a_machine_without_numa_has_no_node() -> None:
    assert reading("No NUMA available on this system\n").facts["nodes"] == 0


def test_the_speed_of_this_moment_is_not_the_base_speed() -> None:
    facts = reading("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: X CPU @ 2.10GHz\ncpu MHz\t: 600\n").facts
    assert facts["base_ghz"] == 2.1
    assert reading("processor\t: 0\nmodel name\t: Y\ncpu MHz\t: 600\n").facts["base_ghz"] is None


def test_arm_has_no_model_name_but_a_known_core() -> None:
    facts = reading("processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd4f\n").facts
    assert (facts["model"], facts["core"], facts["arch"]) == (None, "Neoverse-V2", "aarch64")


def test_lscpu_as_text_and_as_json() -> None:
    text = reading("Architecture: x86_64\nCPU(s): 8\nSocket(s): 2\nCore(s) per socket: 2\nNUMA node1 CPU(s): 4-7\n")
    json = '{"lscpu": [{"field": "CPU(s):", "data": "8", "children": [{"field": "Socket(s):", "data": "2"}]}]}'
    assert (text.facts["threads"], text.facts["numa1"]) == (8, "4-7")
    assert (reading(json).facts["threads"], reading(json).facts["sockets"]) == (8, 2)


def test_memory_runs_at_the_configured_speed() -> None:
    text = "Handle 0x1, DMI type 17\nMemory Device\n\tSize: 64 GB\n\tSpeed: 4800 MT/s\n\tType: DDR5\n"
    text += "\tConfigured Memory Speed: 4400 MT/s\n\nHandle 0x2\nMemory Device\n\tSize: No Module Installed\n"
    facts = reading(text).facts
    assert (facts["modules"], facts["total_bytes"], facts["speed_mts"]) == (1, 64 << 30, 4400)
