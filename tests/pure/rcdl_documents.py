"""What documents are the language's tests about? Strategies for valid ones, and the three known shapes in our words."""

from typing import Any

from hypothesis import strategies as st

from profiles.dimensions import ADDITIVE, BY_NAME
from profiles.rcdl.tables import POLICIES, PRIORITIES, RATES, SAME
from profiles.rcdl.units import KNOWN

ARTICLE_SUPPLY = """
resources:
  - name: compute-unit
    type: gpu
    vendor: nvidia
    model: a100-sxm4-40gb
    attributes: {sm_count: 108, memory_bandwidth_gbps: 2039, nvlink_bandwidth_gbps: 600}
  - {name: memory-pool, type: memory, attributes: {bandwidth_gbps: 384, latency_ns: 85, numa_node: 0}}
  - {name: storage-tier, type: storage, attributes: {iops: 780000, latency_us: 45, interface: nvme}}
"""
ARTICLE_PCIE = """
resources:
  - {name: cpu-node-0, type: cpu, attributes: {pci_bus_id: 0000:00:01.0}}  # CPU root complex
  - {name: gpu-a100-0, type: gpu, attributes: {pci_bus_id: 0000:83:00.0, upstream_pci_bus_id: 0000:00:01.0}}
"""
ARTICLE_PROFILE = """
name: bert-train-infer-profile
version: 1.0
description: Training and serving of a BERT-sized model on one card
resources:
  - type: gpu
    constraints: {vendor: nvidia, model: a100-sxm4-40gb, min_sm_count: 108}
    capabilities: [{name: sm_utilization, target: 0.85}, {name: hbm_bandwidth, target: 0.90}]
  - type: memory
    constraints: {numa_node: 0}
    capabilities: [{name: bandwidth_gbps, target: 0.85}]
  - type: storage
    constraints: {interface: nvme, model: pm9a1}
    capabilities: [{name: iops, target: 0.75}, {name: latency_us, max: 80}]
scheduling: {priority_class: high, deadline_policy: soft}
cost_model: {gpu_hour: 12.5, memory_gb_hour: 0.18, storage_tb_hour: 0.85}
"""

Map = dict[str, Any]
_words = st.text(alphabet="abcxyz019.:-", min_size=1, max_size=12)
_TAKEN = {
    kind: [n for n in ADDITIVE if kind in BY_NAME[n].device_types] for kind in ("cpu", "memory", "gpu", "storage")
}
_LIMITS = {"gpu": ["sm_count", "fp32_tflops"], "storage": ["write_iops"], "memory": ["latency_ns"], "cpu": ["cores"]}


def _between(name: str) -> st.SearchStrategy[int]:
    low, high = KNOWN.get(name, (1, 1000))
    return st.integers(int(low), int(high) if name not in ("gpu_sm", "gpu_tensor") else 10**6)


@st.composite
def _constraints(draw: st.DrawFn, kind: str) -> Map:
    name = draw(st.sampled_from(_LIMITS[kind]))
    found: Map = draw(st.fixed_dictionaries({}, optional={"vendor": _words, "model": st.lists(_words, min_size=1)}))
    if draw(st.booleans()):
        found["vendor"] = {"regex": "^n[a-z]+$"}
    if draw(st.booleans()):
        found[f"min_{name}"] = draw(_between(name))
    if kind == "gpu" and draw(st.booleans()):
        found["min_version"] = draw(st.sampled_from(["sm_70", "sm_80", "sm_100"]))
    return found


@st.composite
def resources(draw: st.DrawFn) -> Map:
    kind = draw(st.sampled_from(sorted(_TAKEN)))
    names = draw(st.lists(st.sampled_from(_TAKEN[kind]), max_size=3, unique=True))
    taken: list[Map] = [
        {"name": name, "target": draw(st.integers(1, 10**6)) / 10**6}
        if draw(st.booleans())
        else {"name": name, "amount": draw(_between(name)) if BY_NAME[name].unit != "ppm" else "25 %"}
        for name in names
    ]
    if kind == "storage" and draw(st.booleans()):
        taken.append({"name": "latency_us", "max": draw(st.integers(1, 900))})
    found: Map = {"type": kind, "count": draw(st.integers(1, 8)), "capabilities": taken or None}
    if draw(st.booleans()):
        found["constraints"] = draw(_constraints(kind))
    return found


_components = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["encoder", "decoder"]), "resources": st.lists(resources(), min_size=1, max_size=2)},
        optional={"count": st.integers(1, 3), "alignment": st.fixed_dictionaries({"same": st.sampled_from(SAME)})},
    ),
    max_size=3, unique_by=lambda component: component["name"],
)  # fmt: skip
_blocks = st.fixed_dictionaries(
    {},
    optional={
        "alignment": st.fixed_dictionaries(
            {"same": st.sampled_from(SAME)},
            optional={"allow_cross_numa": st.booleans(), "spread": st.just("device")},
        ),
        "grace_period": st.sampled_from(["5s", "30s", "500ms", "2m"]),
        "scheduling": st.fixed_dictionaries(
            {}, optional={"priority_class": st.sampled_from(PRIORITIES), "policy": st.sampled_from(POLICIES)}
        ),
        "cost_model": st.dictionaries(st.sampled_from(RATES), st.decimals(0, 1000, places=3).map(str), max_size=3),
        "serving": st.fixed_dictionaries({}, optional={"qps": st.floats(0.5, 1e6), "min_accuracy": st.floats(0.01, 1)}),
        "lru": st.fixed_dictionaries(
            {
                "name": _words,
                "unit": st.fixed_dictionaries({"gpu_memory_gb": st.integers(1, 80), "nvme_queues": st.just(1)}),
            },
            optional={"count": st.integers(1, 3)},
        ),
    },
)


@st.composite
def demands(draw: st.DrawFn) -> Map:
    """A profile with modes and a ladder; plain data, to be written as YAML or JSON."""
    body: Map = {"name": "p", "version": "1.0", "description": draw(st.text(alphabet="aé中 #:\n'", max_size=20))}
    components = draw(_components)
    key = "components" if components else "resources"
    body[key] = components or draw(st.lists(resources(), min_size=1, max_size=3))
    overlays = st.lists(st.tuples(_blocks, st.lists(resources(), max_size=3)), max_size=2)
    over = [blocks | ({"resources": more} if more and not components else {}) for blocks, more in draw(overlays)]
    body |= draw(_blocks)
    body["modes"] = {f"m{index}": layer for index, layer in enumerate(over)}
    body["alternatives"] = over[:1]
    return body


@st.composite
def supplies(draw: st.DrawFn) -> Map:
    """Described hardware."""
    kinds = draw(st.lists(st.sampled_from(sorted(_TAKEN)), min_size=1, max_size=4))
    found = []
    for index, kind in enumerate(kinds):
        names = draw(st.lists(st.sampled_from([n for n in _TAKEN[kind] if n in KNOWN]), unique=True, max_size=3))
        attributes: Map = {name: draw(_between(name)) for name in names} | {"pci_bus_id": "0000:00:01.0"}
        found.append({"name": f"r{index}", "type": kind, "vendor": draw(_words), "attributes": attributes})
    return {"resources": found}
