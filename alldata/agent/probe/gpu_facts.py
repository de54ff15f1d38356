"""What does the driver say of one card: its attributes and its capacities?"""

from alldata.agent.probe import mig, nvlink, pcie
from alldata.agent.probe.nvml import Nvml
from alldata.agent.wire import AttributeValue, Capacity

WHOLE = 1_000_000  # gpu_sm counts in millionths of the card
_CORES_PER_SM = {(6, 0): 64, (7, 0): 64, (7, 2): 64, (7, 5): 64, (8, 0): 64}
_CORES_PER_SM_SINCE = 128  # 6.1 and everything from 8.6 on


def attributes(nvml: Nvml, handle: object, driver: str) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue] = {"driver_version": driver} if driver else {}
    capability = nvml.ask("DeviceGetCudaComputeCapability", handle).value
    cores = nvml.ask("DeviceGetNumGpuCores", handle).value
    if capability:
        found["compute_capability"] = "{}.{}".format(*capability)
        if cores:
            found["sm_count"] = cores // _CORES_PER_SM.get(tuple(capability), _CORES_PER_SM_SINCE)
    numbers = {
        "pcie_generation": nvml.ask("DeviceGetMaxPcieLinkGeneration", handle).value,
        "pcie_generation_now": nvml.ask("DeviceGetCurrPcieLinkGeneration", handle).value,
        "pcie_width": nvml.ask("DeviceGetMaxPcieLinkWidth", handle).value,
        "pcie_width_now": nvml.ask("DeviceGetCurrPcieLinkWidth", handle).value,
    }
    found |= {name: int(value) for name, value in numbers.items() if value}
    persistent = nvml.ask("DeviceGetPersistenceMode", handle).value
    if persistent is not None:
        found["persistence_mode"] = bool(persistent)
    return found | mig.mode(nvml, handle)


def capacities(nvml: Nvml, handle: object, ends: nvlink.Ends) -> dict[str, Capacity]:
    memory = nvml.ask("DeviceGetMemoryInfo", handle)
    clock = nvml.ask("DeviceGetMaxClockInfo", handle, nvml.constant_or("NVML_CLOCK_MEM", 2))
    width = nvml.ask("DeviceGetMemoryBusWidth", handle)
    generation = nvml.ask("DeviceGetMaxPcieLinkGeneration", handle)
    lanes = nvml.ask("DeviceGetMaxPcieLinkWidth", handle)
    theory = clock.value * 1_000_000 * 2 * width.value // 8 if clock.value and width.value else None
    in_use = nvml.ask("DeviceGetCurrPcieLinkWidth", handle).value  # a slot of fewer lanes shows only here
    link = pcie.generation_bandwidth(generation.value or 0, min(lanes.value or 0, in_use or pcie.MOST_LANES))
    joined = ends.bandwidth()
    return {
        "gpu_sm": Capacity(WHOLE, "driver", "measured"),
        "gpu_memory_bytes": _known(memory.value.total if memory.value else None, "measured", memory.reason),
        "hbm_bandwidth": _known(theory, "estimated", width.reason or clock.reason),
        "pcie_bandwidth": _known(link, "measured", generation.reason or lanes.reason),
    } | ({"nvlink_bandwidth": joined} if joined else {})


def _known(value: int | None, quality: str, reason: str | None) -> Capacity:
    if value is None:
        return Capacity(None, "driver", "missing", reason=reason or "not_reported")
    return Capacity(int(value), "driver", "estimated" if quality == "estimated" else "measured")
