"""Nodes as Slurm and Kubernetes describe them."""

import json
from typing import Any

from alldata.agent.readers.products import product_of
from alldata.agent.readers.slurm_gres import expand
from tests.pure.reading import host, reading

NODE = "NodeName=n1 CPUTot=64 Gres=gpu:a:4(S:0-1),gpu:b:2 RealMemory=1000 State={state}\n   OS=Linux 5.4 #1 SMP x\n"
NODE += "   CfgTRES=cpu=64,mem=1000M,gres/gpu=6\n   AllocTRES=cpu=1,gres/gpu=2\n   Reason=bad fan [root@2026]\n"


def test_types_of_cards_add_up_and_are_no_models() -> None:
    facts = reading(NODE.format(state="MIXED")).facts
    assert (facts["gpus"], facts["gpus_alloc"], facts["cpus"], facts["mem_mb"]) == (6, 2, 64, 1000)
    assert {card.model for card in host(NODE.format(state="MIXED")).accelerators} == {None}


def test_a_drained_or_silent_node_takes_no_jobs() -> None:
    states = ["MIXED", "IDLE+DRAIN", "IDLE*", "DOWN"]
    assert [reading(NODE.format(state=state)).facts["schedulable"] for state in states] == [True, False, False, False]


def test_several_nodes_of_one_file_are_several_hosts() -> None:
    text = NODE.format(state="IDLE") + "\n" + NODE.format(state="IDLE").replace("n1", "n2")
    assert [found.name for found in reading(text).hosts] == ["n1", "n2"]


def test_ranges_of_hosts_and_device_files() -> None:
    assert list(expand("n[01-03,7],login")) == ["n01", "n02", "n03", "n7", "login"]
    text = "NodeName=n[1-2] Name=gpu File=/dev/nvidia[0-1] Cores=0-7\n"
    assert (reading(text).facts["gpus_per_node"], reading(text).facts["cores"]["nvidia1"]) == (2, "0-7")


def kubernetes(capacity: dict[str, str], labels: dict[str, str]) -> str:
    plain: dict[str, Any] = {"kind": "Node", "metadata": {"name": "k1", "labels": labels}}
    return json.dumps(plain | {"status": {"capacity": capacity}})


def test_resources_count_and_labels_only_describe() -> None:
    text = kubernetes({"nvidia.com/mig-3g.20gb": "2", "nvidia.com/gpu": "0"}, {"nvidia.com/mig-3g.21gb.count": "2"})
    assert (reading(text).facts["mig"], reading(text).facts["gpus"]) == ({"3g.20gb": 2}, 0)


def test_a_label_becomes_a_product_name() -> None:
    labels = ["NVIDIA-H100-80GB-HBM3", "NVIDIA-A100-SXM4-40GB", "Tesla-T4-SHARED", "NVIDIA-A100-PCIE-40GB-MIG-1g.5gb"]
    assert [product_of(label) for label in labels] == ["H100 80GB HBM3", "A100-SXM4-40GB", "Tesla T4", "A100-PCIE-40GB"]


def test_quantities_of_a_node() -> None:
    found = host(kubernetes({"cpu": "8", "memory": "1024Ki", "amd.com/gpu": "2"}, {}))
    assert (found.cores, found.memory_bytes, [card.vendor for card in found.accelerators]) == (8, 1 << 20, ["AMD"] * 2)


def a_slice(*devices: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"kind": "ResourceSlice", "spec": {"nodeName": "k1", "devices": list(devices), **spec}}


def gpu(uuid: str, **more: str) -> dict[str, Any]:
    told = {"uuid": uuid, "type": "gpu", "productName": "X", "driverVersion": "580.95.5"} | more
    attributes = {name: {"version" if name == "driverVersion" else "string": text} for name, text in told.items()}
    return {"name": uuid.lower(), "attributes": attributes, "capacity": {"memory": {"value": "8Gi"}}}


def test_a_card_whose_slices_are_listed_is_not_counted_twice() -> None:
    text = json.dumps(a_slice(gpu("GPU-1"), gpu("MIG-2", type="mig", parentUUID="GPU-1"), gpu("GPU-3")))
    assert (reading(text).facts["whole_gpus"], reading(text).facts["mig_devices"]) == (1, 1)
    assert [card.uuid for card in host(text).accelerators] == ["MIG-2", "GPU-3"]


def test_a_driver_is_written_as_the_maker_does() -> None:
    assert reading(json.dumps(a_slice(gpu("GPU-1")))).facts["driver_nvidia_smi"] == "580.95.05"


def test_shared_counters_limit_what_can_be_given_out_together() -> None:
    draw = [{"counterSet": "c", "counters": {"memory": {"value": "3Gi"}}}]
    counters = [{"name": "c", "counters": {"memory": {"value": "8Gi"}}}]
    items = [
        a_slice(sharedCounters=counters),
        a_slice(*({"name": f"d{i}", "consumesCounters": draw} for i in range(3))),
    ]
    assert reading(json.dumps({"kind": "List", "items": items})).facts["max_concurrent"] == 2


def test_a_card_that_is_shared_is_offered_several_times_and_counts_once() -> None:
    text = kubernetes({"nvidia.com/gpu": "8"}, {"nvidia.com/gpu.replicas": "4"})
    assert reading(text).facts["gpus"] == 2


def test_typed_cards_of_a_tres_list_add_up() -> None:
    text = "NodeName=n1 CPUTot=4 RealMemory=1 State=IDLE\n   CfgTRES=cpu=4,gres/gpu:a=2,gres/gpu:b=1\n"
    assert reading(text).facts["gpus"] == 3
