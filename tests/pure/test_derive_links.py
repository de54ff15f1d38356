"""Connections carry what their slower side can."""

from dataclasses import replace

from alldata.agent.wire import Capacity, Device, Link, NumaNode, Register
from profiles.derive import DerivedLink, derive, link_graph, stamp
from profiles.hkb.lookup import published

GEN3, GEN4 = 15_753_846_153, 31_507_692_307


def measured(value: int | None) -> Capacity:
    return Capacity(value, "sysfs", "missing" if value is None else "measured", reason="x" if value is None else None)


def card(uuid: str, bandwidth: int = GEN4, model: str = "NVIDIA A100-SXM4-40GB") -> Device:
    told = {"pcie_bandwidth": measured(bandwidth)}
    return Device(uuid, "gpu", uuid, 0, "port", "NVIDIA", model, {"compute_capability": "8.0"}, told)


def port(bandwidth: int | None = GEN3) -> Device:
    return Device("port", "link", "root port", 0, capacities={"pcie_bandwidth": measured(bandwidth)})


def machine(*devices: Device, links: tuple[Link, ...] = (), numa: tuple[NumaNode, ...] = ()) -> Register:
    return Register("h", "boot", "e", 2, numa or (NumaNode(0, (0, 1), 2**30),), devices, 1000, 5000, links)


def only(message: Register) -> DerivedLink:
    (link,) = link_graph(message)
    return link


def test_a_card_in_a_slower_slot_has_the_slots_speed() -> None:
    message = machine(card("g"), port(), links=(Link("pcie", "port", "g", {"pcie_bandwidth": measured(GEN4)}),))
    found = derive(message)[0].capacities["pcie_bandwidth"]
    assert (found.value, only(message).bandwidth.value) == (GEN3, GEN3)
    assert found.reason is not None and str(GEN4) in found.reason


def test_a_drive_reads_no_faster_than_its_slot() -> None:
    drive = Device("d", "storage", "nvme0n1", 0, "port", None, "SAMSUNG MZQL21T9HCJR-00A07")
    message = machine(drive, port(3_938_461_538), links=(Link("pcie", "port", "d"),))
    assert derive(message)[0].capacities["storage_bandwidth"].value == 3_938_461_538
    assert derive(machine(drive))[0].capacities["storage_bandwidth"].value == 6_500 * 10**6


def test_a_port_that_does_not_say_its_speed_limits_nothing() -> None:
    message = machine(card("g"), port(None), links=(Link("pcie", "port", "g"),))
    assert derive(message)[0].capacities["pcie_bandwidth"].value == GEN4


def test_nvlink_carries_its_links_both_ways() -> None:
    message = machine(card("b"), card("a"), links=(Link("nvlink", "b", "a", attributes={"links": 12}),))
    found = only(message)
    assert (found.a, found.b, found.bandwidth.value) == ("a", "b", 600 * 10**9)


def test_cards_that_links_join_are_one_island() -> None:
    joined = (Link("nvlink", "a", "b"), Link("nvlink", "d", "c"), Link("nvlink", "b", "e"))
    message = machine(*(card(name) for name in "abcdef"), links=joined)
    found = {d.uuid: d.attributes.get("nvlink_island") for d in derive(message)}
    assert found == {"a": "0", "b": "0", "e": "0", "c": "1", "d": "1", "f": None}


def test_no_card_is_shared_unless_somebody_says_what_isolates_it() -> None:
    told = replace(card("b"), attributes={"isolation": "mps"})
    assert [d.attributes["isolation"] for d in derive(machine(card("a"), told))] == ["none", "mps"]


def test_without_a_count_nvlink_is_unknown_and_not_zero() -> None:
    message = machine(card("a"), card("b"), links=(Link("nvlink", "a", "b"),))
    assert (only(message).bandwidth.value, only(message).bandwidth.quality) == (None, "missing")


def test_between_numa_nodes_distance_thins_the_slower_pool() -> None:
    pools = [
        Device(f"m{n}", "memory", "m", n, capacities={"memory_bandwidth": measured(speed)})
        for n, speed in ((0, 200 * 10**9), (1, 140 * 10**9))
    ]
    numa = (NumaNode(0, (0,), 1, {"0": 10, "1": 20}), NumaNode(1, (1,), 1, {"0": 20, "1": 10}))
    found = only(machine(*pools, numa=numa))
    assert (found.kind, found.bandwidth.value, found.bandwidth.quality) == ("numa", 70 * 10**9, "estimated")


def test_the_stamp_names_rules_and_knowledge() -> None:
    assert stamp(published()) == f"3/{published().version}"
