"""What does a Kubernetes Node object say, with the labels of GPU feature discovery? JSON: `kubectl get node -o json`.

Resources count, labels describe: label names of MIG profiles have been rounded wrongly (3g.21gb), and a label may name
a card whose plugin offers none. Counts are of `capacity`.
"""

import re
from typing import Any

from alldata.agent.readers.products import product_of
from alldata.agent.readers.quantities import MIB, bytes_of, whole
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading

_MIG = re.compile(r"nvidia\.com/mig-(\d+g\.\d+gb.*)")
_NIC = re.compile(r"/.*(nic|hca|roce|ib_?shared|rdma)", re.IGNORECASE)
_GPUS = {"nvidia.com/gpu": "NVIDIA", "nvidia.com/gpu.shared": "NVIDIA", "amd.com/gpu": "AMD"}
_GPUS |= {"huawei.com/Ascend910": "Huawei", "gpu.intel.com/i915": "Intel"}


def read_nodes(items: list[dict[str, Any]]) -> Reading:
    """Facts are of the only node, or how many there are."""
    hosts = tuple(_host(item) for item in items)
    return Reading("k8s_node", hosts, _facts(items[0]) if len(items) == 1 else {"nodes": len(items)})


def _parts(item: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    labels = item.get("metadata", {}).get("labels") or {}
    capacity = item.get("status", {}).get("capacity") or {}
    return labels, {name: str(value) for name, value in capacity.items()}


def _facts(item: dict[str, Any]) -> Facts:
    labels, capacity = _parts(item)
    replicas = max(1, whole(labels.get("nvidia.com/gpu.replicas")) or 1)  # a shared card is offered several times
    whole_cards = sum(whole(capacity.get(name)) or 0 for name in _GPUS) // replicas
    mig = {match[1]: int(count) for name, count in capacity.items() if (match := _MIG.fullmatch(name)) and int(count)}
    major, minor = labels.get("nvidia.com/gpu.compute.major"), labels.get("nvidia.com/gpu.compute.minor")
    return {
        "gpus": whole_cards,
        "gpus_whole": whole_cards,
        "mig": mig or False,
        "nics": sum(whole(count) or 0 for name, count in capacity.items() if _NIC.search(name)),
        "product": product_of(labels.get("nvidia.com/gpu.product")),
        "memory_mib": whole(labels.get("nvidia.com/gpu.memory")),
        "compute_capability": f"{major}.{minor}" if major and minor else None,
    }


def _host(item: dict[str, Any]) -> Host:
    _labels, capacity = _parts(item)
    facts = _facts(item)
    memory = facts["memory_mib"]
    attributes = {"compute_capability": facts["compute_capability"]} if facts["compute_capability"] else {}
    vendor = next((maker for name, maker in _GPUS.items() if whole(capacity.get(name))), "NVIDIA")
    cards = tuple(
        Accelerator(
            index,
            model=facts["product"],
            vendor=vendor,
            memory_bytes=memory * MIB if memory else None,
            attributes=attributes,
        )
        for index in range(facts["gpus_whole"])
    )
    return Host(
        name=item.get("metadata", {}).get("name"),
        cores=_cores(capacity.get("cpu")),
        memory_bytes=bytes_of(capacity.get("memory")),
        accelerators=cards,
        attributes={f"mig {profile}": count for profile, count in (facts["mig"] or {}).items()},
        versions={"kubelet": v} if (v := item.get("status", {}).get("nodeInfo", {}).get("kubeletVersion")) else {},
    )


def _cores(text: str | None) -> int | None:
    value = whole(text)
    return value if value is None or not str(text).endswith("m") else value // 1000
