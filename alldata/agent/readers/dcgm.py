"""What do the metrics of NVIDIA's DCGM exporter say (Prometheus text)?

On a card in MIG mode the parent's rows and the instances' share one UUID; GPU_I_ID tells them apart. Utilisation is
absent there: absent is unknown, not 0.
"""

import re

from alldata.agent.probe.pcie import normal_address
from alldata.agent.readers.document import Document
from alldata.agent.readers.quantities import MIB
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading

KIND = "dcgm"
_SAMPLE = re.compile(r"(DCGM_FI_\w+)\{([^}]*)\}\s+(\S+)(?:\s+\d+)?\s*")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
Labels = dict[str, str]


def recognises(document: Document) -> bool:
    return re.search(r"^DCGM_FI_\w+\{", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    samples: list[tuple[str, Labels, float]] = []
    complaints = []
    for place, line in enumerate(document.lines, 1):
        match = _SAMPLE.fullmatch(line)
        if match and re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", match[3], re.IGNORECASE):
            samples.append((match[1], dict(_LABEL.findall(match[2])), float(match[3])))
        elif line.strip() and not line.startswith("#"):
            complaints.append(document.complaint(place, f"not a sample: {line.strip()[:60]}"))
    hosts = tuple(_host(name, samples) for name in dict.fromkeys(_host_of(labels) for _m, labels, _v in samples))
    return Reading(KIND, hosts, _facts(samples), tuple(complaints))


def _host_of(labels: Labels) -> str | None:
    return labels.get("Hostname") or None


def _parents(samples: list[tuple[str, Labels, float]], uuid: str) -> dict[str, float]:
    """The metrics of a card itself."""
    return {m: value for m, labels, value in samples if labels.get("UUID") == uuid and not labels.get("GPU_I_ID")}


def _instances(samples: list[tuple[str, Labels, float]], uuid: str) -> dict[str, str]:
    rows = (labels for _m, labels, _v in samples if labels.get("UUID") == uuid and labels.get("GPU_I_ID"))
    return {labels["GPU_I_ID"]: labels.get("GPU_I_PROFILE", "") for labels in rows}


def _uuids(samples: list[tuple[str, Labels, float]]) -> list[str]:
    return list(dict.fromkeys(labels["UUID"] for _metric, labels, _value in samples if labels.get("UUID")))


def _facts(samples: list[tuple[str, Labels, float]]) -> Facts:
    uuids = _uuids(samples)
    first = _parents(samples, uuids[0]) if uuids else {}
    bus = next((labels["pci_bus_id"] for _m, labels, _v in samples if labels.get("pci_bus_id")), None)
    memory = _memory_mib(first)
    util = first.get("DCGM_FI_DEV_GPU_UTIL")
    return {
        "gpus": len(uuids),
        "mig_instances": sum(len(_instances(samples, uuid)) for uuid in uuids),
        "gpu_util_pct": None if util is None else int(util),
        "dram_active": first.get("DCGM_FI_PROF_DRAM_ACTIVE"),
        "tensor_active": first.get("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"),
        "sm_active": first.get("DCGM_FI_PROF_SM_ACTIVE"),
        "fb_total_mib": memory,
        "pci": normal_address(bus) if bus else None,
    }


def _memory_mib(metrics: dict[str, float]) -> int | None:
    """Free, used and (where it is counted apart) reserved."""
    parts = [metrics.get(f"DCGM_FI_DEV_FB_{part}") for part in ("FREE", "USED")]
    if None in parts:
        return None
    return int(sum(part or 0 for part in parts) + metrics.get("DCGM_FI_DEV_FB_RESERVED", 0))


def _host(name: str | None, samples: list[tuple[str, Labels, float]]) -> Host:
    ours = [sample for sample in samples if _host_of(sample[1]) == name]
    cards = []
    for place, uuid in enumerate(_uuids(ours)):
        labels = next(labels for _m, labels, _v in ours if labels.get("UUID") == uuid)
        memory = _memory_mib(_parents(ours, uuid))
        driver = labels.get("DCGM_FI_DRIVER_VERSION")
        bus = labels.get("pci_bus_id")
        cards.append(
            Accelerator(
                index=int(labels["gpu"]) if labels.get("gpu", "").isdecimal() else place,
                uuid=uuid,
                model=labels.get("modelName"),
                bus=normal_address(bus) if bus else None,
                memory_bytes=memory * MIB if memory else None,
                mig=tuple(_instances(ours, uuid).values()),
                attributes={"driver_version": driver} if driver else {},
            )
        )
    return Host(name, accelerators=tuple(cards))
