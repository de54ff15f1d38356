"""Probe facts become capability vectors whose every value says where it came from."""

from alldata.agent.wire import Capacity, Device, NumaNode, Register
from profiles.derive import DerivedDevice, derive
from profiles.dimensions import BY_NAME
from profiles.hkb.lookup import Fact, Part, normal, published

GONE = Capacity(None, "measured", "missing", reason="not_calibrated")


def message(*devices: Device) -> Register:
    return Register("h", "boot", "e1", 2, (NumaNode(0, (0, 1), 2**30),), devices, 1000, 5000)


def derived(*devices: Device) -> DerivedDevice:
    return derive(message(*devices))[0]


def card(**capacities: Capacity) -> Device:
    return Device("GPU-1", "gpu", "gpu0", 0, vendor="NVIDIA", model="NVIDIA A100-SXM4-40GB", capacities=capacities)


def pool(bandwidth: Capacity = GONE) -> Device:
    return Device("n/numa0/memory", "memory", "m", 0, capacities={"memory_bandwidth": bandwidth})


def cores(model: str) -> Device:
    return Device("n/numa0/cpu", "cpu", "c", 0, model=model, attributes={"cores": 16})


def test_the_40_gb_a100_has_1555_and_not_2039() -> None:
    found = derived(card(hbm_bandwidth=Capacity(1, "driver", "estimated")))
    assert found.capacities["hbm_bandwidth"].value == 1_555 * 10**9
    assert (found.vendor, found.model, found.attributes["sm_count"]) == ("nvidia", "a100-sxm4-40gb", 108)


def test_measured_wins_over_published() -> None:
    found = derived(card(hbm_bandwidth=Capacity(1_400 * 10**9, "measured", "measured")))
    assert found.capacities["hbm_bandwidth"].source == "measured"


def test_an_operator_wins_over_everybody() -> None:
    fact = Fact(7, "overridden", "operator")
    known = published().overridden([Part("gpu", "nvidia", "a100-sxm4-40gb", (), {"hbm_bandwidth": fact})])
    told = message(card(hbm_bandwidth=Capacity(9, "measured", "measured")))
    found = derive(told, known)[0]
    assert found.capacities["hbm_bandwidth"].value == 7
    assert found.attributes["sm_count"] == 108


def test_a_pool_gets_its_share_of_the_socket() -> None:
    found = derived(pool(), cores("AMD EPYC 7502 32-Core Processor")).capacities["memory_bandwidth"]
    assert (found.value, found.source, found.quality) == (102_400_000_000, "published", "estimated")


def test_an_unknown_part_is_missing_and_never_zero() -> None:
    found = derived(pool(), cores("Some CPU of next year")).capacities["memory_bandwidth"]
    assert (found.value, found.reason) == (None, "not_calibrated")


def test_tensor_cores_come_with_the_generation() -> None:
    whole = Capacity(1_000_000, "driver", "measured")
    old = Device("GPU-2", "gpu", "g", 0, model="Tesla P100-SXM2-16GB", capacities={"gpu_sm": whole})
    assert "gpu_tensor" in derived(card(gpu_sm=whole)).capacities
    assert "gpu_tensor" not in derived(old).capacities


def test_core_numbers_come_from_the_numa_node() -> None:
    assert derived(cores("x")).cpus == (0, 1)


def test_every_known_name_leads_to_one_part_and_every_fact_to_a_dimension() -> None:
    names = [(p.type, normal(n)) for p in published().parts for n in {normal(name) for name in (p.model, *p.names)}]
    assert len(names) == len(set(names))
    assert all(name in BY_NAME for part in published().parts for name in part.facts)


def test_a_maker_known_by_number_gets_its_name() -> None:
    assert derived(Device("d", "storage", "vda", vendor="0x1af4")).vendor == "virtio"
