"""Whatever a machine reports: the same facts give the same answer, and a gap is called a gap."""

from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.agent.wire import Capacity, Device, DeviceType, Link, NumaNode, Register
from profiles.derive import derive, link_graph

GEN3, GEN4 = 15_753_846_153, 31_507_692_307
TEXT = st.text(alphabet="abc 019-", max_size=12)
VALUES = st.none() | st.integers(0, 10**13)


def measured(value: int | None) -> Capacity:
    return Capacity(value, "sysfs", "missing" if value is None else "measured", reason="x" if value is None else None)


def machine(*devices: Device, links: tuple[Link, ...] = (), numa: tuple[NumaNode, ...] = ()) -> Register:
    return Register("h", "boot", "e", 2, numa or (NumaNode(0, (0, 1), 2**30),), devices, 1000, 5000, links)


@st.composite
def machines(draw: st.DrawFn) -> Register:
    kinds: st.SearchStrategy[DeviceType] = st.sampled_from(["cpu", "memory", "gpu", "storage", "network", "link"])
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
