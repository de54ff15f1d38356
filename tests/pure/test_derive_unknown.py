"""What is said of parts that are new, cut in slices, badly driven or known to nobody?"""

import pytest

from alldata.agent.wire import Capacity, Device, NumaNode, Register
from profiles.derive import DerivedDevice, derive
from profiles.hkb.lookup import Fact, Part, published

GONE = Capacity(None, "measured", "missing", reason="not_calibrated")


def message(*devices: Device) -> Register:
    return Register("h", "boot", "e1", 2, (NumaNode(0, (0, 1), 2**30),), devices, 1000, 5000)


def derived(*devices: Device) -> DerivedDevice:
    return derive(message(*devices))[0]


def pool(bandwidth: Capacity = GONE) -> Device:
    return Device("n/numa0/memory", "memory", "m", 0, capacities={"memory_bandwidth": bandwidth})


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


def test_a_card_that_is_split_gives_nothing_itself() -> None:
    gap = Capacity(None, "driver", "missing", reason="split_into_mig_devices")
    told = {"gpu_memory_bytes": gap, "gpu_sm": gap}
    found = derived(Device("g", "gpu", "g", 0, None, "NVIDIA", "NVIDIA A100-SXM4-40GB", {"mig_devices": 7}, told))
    values = {
        name: found.capacities[name].value for name in ("gpu_sm", "gpu_memory_bytes", "hbm_bandwidth", "gpu_tensor")
    }
    assert set(values.values()) == {None}
    assert found.capacities["hbm_bandwidth"].reason == "split_into_mig_devices"


def test_what_is_published_is_no_capacity_of_a_card_in_ill_health() -> None:
    gap = Capacity(None, "driver", "missing", reason="xid_79")
    lost = Device(
        "g", "gpu", "g", 0, None, "NVIDIA", "NVIDIA A100-SXM4-40GB", {}, {"hbm_bandwidth": gap}, "lost", "xid_79"
    )
    assert derived(lost).capacities["hbm_bandwidth"].reason == "xid_79"
    assert derived(lost).capacities["hbm_bandwidth"].value is None


def test_a_bridge_that_nobody_saw_carries_nothing() -> None:
    found = derived(Device("g", "gpu", "g", 0, None, "NVIDIA", "NVIDIA A100-PCIE-40GB"))
    assert "nvlink_bandwidth" not in found.capacities


def test_what_nobody_could_find_stays_missing() -> None:
    found = derived(Device("g", "gpu", "g", 0, None, "hygon", "Hygon DCU Z100"))
    assert (found.model, dict(found.capacities)) == ("dcu-z100", {})
    assert "fp64_tflops" not in found.attributes
