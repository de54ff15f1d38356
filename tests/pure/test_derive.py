"""Probe facts become capability vectors whose every value says where it came from."""

import pytest

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


def test_the_pci_id_or_the_memory_size_can_say_which_card_it_is() -> None:
    by_id = Device("GPU-1", "gpu", "g", 0, vendor="NVIDIA", attributes={"pci_id": "10de:20b5"})
    sized = {"gpu_memory_bytes": Capacity(40_960 * 2**20, "driver", "measured")}
    by_size = Device("GPU-1", "gpu", "g", 0, vendor="NVIDIA", model="NVIDIA A100-SXM4", capacities=sized)
    assert (derived(by_id).model, derived(by_size).model) == ("a100-pcie-80gb", "a100-sxm4-40gb")


@pytest.mark.parametrize(
    ("model", "driver", "reason"),
    [
        ("NVIDIA A100-SXM4-40GB", "510.47.02", "driver_below_510.47.03"),
        ("NVIDIA A100-SXM4-40GB", "510.47.03", None),
        ("Tesla V100-SXM2-16GB", "470.82.00", "driver_below_470.82.01"),
        ("Tesla V100-SXM2-16GB", "510.47.02", None),
    ],
)
def test_below_its_driver_a_card_is_degraded_and_its_bandwidth_missing(model: str, driver: str, reason: str) -> None:
    told = {"hbm_bandwidth": Capacity(9 * 10**11, "driver", "measured")}
    found = derived(Device("g", "gpu", "g", 0, None, "NVIDIA", model, {"driver_version": driver}, told))
    assert (found.healthy, found.degraded_reason) == (reason is None, reason)
    bandwidth = found.capacities["hbm_bandwidth"]
    assert (bandwidth.value is None, bandwidth.reason) == (reason is not None, reason)


def test_a_processor_newer_than_the_knowledge_is_estimated_low_and_says_so() -> None:
    new = Device("n/c", "cpu", "c", 0, None, "AuthenticAMD", "AMD EPYC 9965 192-Core Processor", {"cores": 192})
    found = derived(pool(), new).capacities["memory_bandwidth"]
    assert (found.value, found.source, found.quality) == (192 * 3_200_000_000, "estimated", "estimated")
    assert found.reason is not None and "5 known epyc processors" in found.reason


def test_the_operators_word_for_a_new_processor_counts() -> None:
    word = Part("cpu", "amd", "epyc-9965", (), {"memory_bandwidth": Fact(500, "overridden", "operator"),
                                                "cores": Fact(192, "overridden", "operator")})  # fmt: skip
    new = Device("n/c", "cpu", "c", 0, None, "AuthenticAMD", "AMD EPYC 9965 192-Core Processor", {"cores": 192})
    found = derive(message(pool(), new), published().overridden([word]))[0].capacities["memory_bandwidth"]
    assert (found.value, found.source) == (500, "overridden")


def test_a_mig_instance_has_its_share_of_the_bandwidth() -> None:
    fifth = {"gpu_memory_bytes": Capacity(5 * 10**9, "driver", "measured")}
    name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
    found = derived(Device("MIG-1", "gpu", "m", 0, None, "NVIDIA", name, capacities=fifth))
    assert found.capacities["hbm_bandwidth"].value == 1_555 * 10**9 // 8


def test_a_bridge_that_nobody_saw_carries_nothing() -> None:
    found = derived(Device("g", "gpu", "g", 0, None, "NVIDIA", "NVIDIA A100-PCIE-40GB"))
    assert "nvlink_bandwidth" not in found.capacities


def test_what_nobody_could_find_stays_missing() -> None:
    found = derived(Device("g", "gpu", "g", 0, None, "hygon", "Hygon DCU Z100"))
    assert (found.model, dict(found.capacities)) == ("dcu-z100", {})
    assert "fp64_tflops" not in found.attributes
