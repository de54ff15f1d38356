"""Connections carry what their slower side can, and the same facts always give the same graph."""

from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.agent.wire import Capacity, Device, Link, NumaNode, Register
from profiles.derive import DerivedLink, derive, link_graph, stamp
from profiles.hkb.lookup import published

GEN3, GEN4 = 15_753_846_153, 31_507_692_307
TEXT = st.text(alphabet="abc 019-", max_size=12)
VALUES = st.none() | st.integers(0, 10**13)


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


def test_a_port_that_does_not_say_its_speed_limits_nothing() -> None:
    message = machine(card("g"), port(None), links=(Link("pcie", "port", "g"),))
    assert derive(message)[0].capacities["pcie_bandwidth"].value == GEN4


def test_nvlink_carries_its_links_both_ways() -> None:
    message = machine(card("b"), card("a"), links=(Link("nvlink", "b", "a", attributes={"links": 12}),))
    found = only(message)
    assert (found.a, found.b, found.bandwidth.value) == ("a", "b", 600 * 10**9)


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
    assert stamp(published()) == f"2/{published().version}"


@st.composite
def machines(draw: st.DrawFn) -> Register:
    kinds = st.sampled_from(["cpu", "memory", "gpu", "storage", "network", "link"])
    names = st.sampled_from(["hbm_bandwidth", "memory_bandwidth", "pcie_bandwidth", "gpu_memory_bytes", "unheard_of"])
    models = TEXT | st.sampled_from(["NVIDIA A100-SXM4-40GB", "AMD EPYC 7742 64-Core Processor", "Tesla T4 MIG 1g"])
    attributes = st.dictionaries(
        st.sampled_from(["cores", "driver_version", "compute_capability", "pci_id"]),
        TEXT | st.integers(-5, 500),
        max_size=3,
    )
    devices = []
    for index in range(draw(st.integers(0, 5))):
        told = draw(st.dictionaries(names, VALUES.map(measured), max_size=3))
        maker = draw(st.sampled_from(["NVIDIA", "AuthenticAMD", "x"]))
        devices.append(
            Device(f"d{index}", draw(kinds), "d", draw(st.none() | st.integers(0, 1)), None, maker, draw(models),
                   draw(attributes), told)
        )  # fmt: skip
    ends = st.sampled_from([device.uuid for device in devices] or ["?"])
    count = st.fixed_dictionaries({}, optional={"links": st.integers(0, 18)})
    links = st.builds(Link, st.sampled_from(["pcie", "nvlink", "numa"]), ends, ends, st.just({}), count)
    numa = (NumaNode(0, (0,), 1, {"0": 10, "1": draw(st.integers(0, 40))}), NumaNode(1, (1,), 1, {"0": 21, "1": 10}))
    return machine(*devices, links=tuple(draw(st.lists(links, max_size=3))), numa=numa)


@settings(max_examples=150, deadline=None)
@given(machines())
def test_the_same_facts_give_the_same_vectors_and_graph(message: Register) -> None:
    assert derive(message) == derive(message)
    assert link_graph(message) == link_graph(message)


@settings(max_examples=150, deadline=None)
@given(machines())
def test_what_is_missing_is_never_zero_and_always_explained(message: Register) -> None:
    values = [value for device in derive(message) for value in device.capacities.values()]
    values += [link.bandwidth for link in link_graph(message)]
    assert all((value.value is None) == (value.quality == "missing") for value in values)
    assert all(value.reason for value in values if value.value is None)
