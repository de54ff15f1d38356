"""What do the ResourceSlices of Kubernetes' dynamic resource allocation say (v1alpha3 to v1)?

A MIG node may list a card and its slices: only one of them can be given out, so a card whose slices are listed is not
counted as whole. Devices may draw on shared counters; `max_concurrent` is how many can be given out at once. Versions
are in semantic form there: driver 580.159.4 is 580.159.04, capability 7.5.0 is 7.5.
"""

from typing import Any

from alldata.agent.probe.pcie import normal_address
from alldata.agent.readers.quantities import GIB, MIB, bytes_of, whole
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading
from alldata.agent.readers.shared_counters import most_at_once
from alldata.agent.wire import AttributeValue

Item = dict[str, Any]


def read_slices(items: list[Item]) -> Reading:
    specs = [item.get("spec") or {} for item in items]
    devices = [(spec, device) for spec in specs for device in spec.get("devices") or ()]
    parents = {value for _spec, device in devices if (value := _said(device, "parentUUID"))}
    nodes = list(dict.fromkeys(str(spec.get("nodeName")) for spec in specs if spec.get("nodeName")))
    hosts = tuple(
        Host(node, accelerators=_cards([d for spec, d in devices if spec.get("nodeName") == node], parents))
        for node in nodes
    )
    return Reading("dra", hosts, _facts(nodes, specs, [device for _spec, device in devices], parents))


def _attributes(device: Item) -> Item:
    return (device.get("basic") or device).get("attributes") or {}


def _said(device: Item, name: str) -> str | None:
    """An attribute by its plain or qualified name; its value is the only member of a small object."""
    for key, value in _attributes(device).items():
        if key.rpartition("/")[2] == name and isinstance(value, dict) and value:
            return str(next(iter(value.values())))
    return None


def _capacity(device: Item, name: str) -> str | None:
    found = ((device.get("basic") or device).get("capacity") or {}).get(name)
    return str(found.get("value")) if isinstance(found, dict) else (str(found) if found is not None else None)


def _is_partition(device: Item) -> bool:
    return _said(device, "type") in ("mig", "amdgpu-partition") or _said(device, "parentUUID") is not None


def _facts(nodes: list[str], specs: list[Item], devices: list[Item], parents: set[str]) -> Facts:
    first = devices[0] if devices else {}
    memory = bytes_of(_capacity(first, "memory"))
    driver = _said(first, "driverVersion")
    slices = [device for device in devices if _is_partition(device)]
    return {
        "nodes": len(nodes),
        "devices": len(devices),
        "whole_gpus": sum(not _is_partition(d) and _said(d, "uuid") not in parents for d in devices),
        "mig_devices": sum(_said(d, "type") == "mig" or "MIG-" in (_said(d, "uuid") or "") for d in slices),
        "max_concurrent": most_at_once(specs, devices),
        "product": _said(first, "productName"),
        "memory_mib": memory // MIB if memory else None,
        "memory_gib": memory // GIB if memory else None,
        "compute_units": whole(_capacity(first, "computeUnits")),
        "partition": _said(first, "partitionProfile"),
        "compute_capability": _short(_said(first, "cudaComputeCapability")),
        "driver_nvidia_smi": driver_of(driver),
        "pcie_root": _said(first, "pcieRoot"),
    }


def driver_of(semantic: str | None) -> str | None:
    """NVIDIA prints the third number with two digits; semantic versions may not."""
    parts = (semantic or "").split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return semantic
    return f"{parts[0]}.{parts[1]}.{int(parts[2]):02d}"


def _short(version: str | None) -> str | None:
    return ".".join(version.split(".")[:2]) if version else None


def _cards(devices: list[Item], parents: set[str]) -> tuple[Accelerator, ...]:
    """Cards that can be given out whole, and partitions as cards of their own size."""
    usable = [device for device in devices if _said(device, "uuid") not in parents]
    cards = [device for device in usable if _said(device, "type") or _is_gpu(device)]
    return tuple(_card(index, device) for index, device in enumerate(cards))


def _is_gpu(device: Item) -> bool:
    return _said(device, "productName") is not None


def _card(index: int, device: Item) -> Accelerator:
    known = {
        "driver_version": driver_of(_said(device, "driverVersion")),
        "compute_capability": _short(_said(device, "cudaComputeCapability")),
        "partition": _said(device, "partitionProfile") or _said(device, "profile"),
        "dra_device": device.get("name"),
    }
    attributes: dict[str, AttributeValue] = {name: str(text) for name, text in known.items() if text}
    bus = _said(device, "pciBusID") or _said(device, "parentPciAddr")
    product = _said(device, "productName")
    return Accelerator(
        index=index,
        uuid=_said(device, "uuid"),
        model=product.replace("_", " ") if product else None,
        vendor="AMD" if (_said(device, "type") or "").startswith("amdgpu") else "NVIDIA",
        bus=normal_address(bus) if bus else None,
        memory_bytes=bytes_of(_capacity(device, "memory")),
        attributes=attributes,
    )
