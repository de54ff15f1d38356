"""Is a card split into MIG devices, and what is each of them?

A split card is not given out whole: its own amounts are unknown for that reason and each MIG device has its share, so
nothing is counted twice. A mode that is pending needs a reset of the card.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from alldata.agent.probe.nvml import Nvml
from alldata.agent.wire import AttributeValue, Capacity, Device

MEBIBYTE = 1 << 20
SPLIT = "split_into_mig_devices"
_WHOLE = 1_000_000
_PROFILE = re.compile(r"MIG (\d+g\.\d+gb\S*)")


def mode(nvml: Nvml, handle: object) -> dict[str, AttributeValue]:
    """`mig` and, where it differs, `mig_pending`; nothing on cards without MIG."""
    found = nvml.ask("DeviceGetMigMode", handle).value
    if not found:
        return {}
    answer: dict[str, AttributeValue] = {"mig": bool(found[0])}
    if bool(found[0]) != bool(found[1]):
        answer["mig_pending"] = bool(found[1])
    return answer


def parts(nvml: Nvml, handle: object, parent: Device) -> Iterator[Device]:
    """The MIG devices of a card that is in MIG mode."""
    count = nvml.ask("DeviceGetMaxMigDeviceCount", handle).value or 0
    for index in range(int(count)):
        part = nvml.ask("DeviceGetMigDeviceHandleByIndex", handle, index).value
        uuid = nvml.ask("DeviceGetUUID", part).value if part is not None else None
        if uuid is None:
            continue
        yield _part(nvml, part, parent, (index, str(uuid)))


def _part(nvml: Nvml, part: object, parent: Device, known: tuple[int, str]) -> Device:
    index, uuid = known
    facts = nvml.ask("DeviceGetAttributes_v2", part)
    name = str(nvml.ask("DeviceGetName", part).value or "")
    profile = _PROFILE.search(name)
    kept = ("driver_version", "compute_capability")
    attributes: dict[str, AttributeValue] = {key: parent.attributes[key] for key in kept if key in parent.attributes}
    attributes["mig_parent"] = parent.uuid
    if profile:
        attributes["mig_profile"] = profile[1]
    if facts.value is not None:
        attributes["sm_count"] = int(facts.value.multiprocessorCount)
    memory = None if facts.value is None else int(facts.value.memorySizeMB) * MEBIBYTE
    gap = Capacity(None, "driver", "missing", reason=facts.reason or "not_reported")
    return replace(
        parent,
        uuid=uuid,
        name=f"{parent.name} mig{index}",
        model=f"{parent.model} MIG {profile[1]}" if profile else parent.model,
        attributes=attributes,
        capacities={
            "gpu_sm": Capacity(_WHOLE, "driver", "measured"),
            "gpu_memory_bytes": Capacity(memory, "driver", "measured") if memory else gap,
        },
    )


def split(parent: Device, count: int) -> Device:
    """The card itself once its parts are devices."""
    gap = Capacity(None, "driver", "missing", reason=SPLIT)
    memory = parent.capacities["gpu_memory_bytes"].value if "gpu_memory_bytes" in parent.capacities else None
    whole: dict[str, AttributeValue] = {"memory_bytes": memory} if memory else {}
    return replace(
        parent,
        attributes={**parent.attributes, **whole, "mig_devices": count},
        capacities={name: gap if name.startswith("gpu_") else value for name, value in parent.capacities.items()},
    )
