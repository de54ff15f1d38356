"""Components and units of a service: placed together, each near itself, on the hardware that suits it."""

from profiles.rcdl.document import Demand, Document
from profiles.rcdl.parse import parse
from scheduling.crater.model import Node, Placement, Request
from scheduling.crater.plan import plan
from scheduling.snapshot import near_of, needs_of
from tests.pure.crater_cases import GIB, NOW, cluster, cpu, disk, gpu, gpu_node, memory

HEAD = "name: ocr\nversion: '1.0'\n"
PARTS = """
components:
- name: embedding
  alignment: {same: numa}
  resources: [{type: memory, capabilities: [{name: memory_bandwidth_gbps, amount: 90}]}]
- name: decoder
  alignment: {same: numa}
  resources:
  - {type: gpu, capabilities: [{name: sm_utilization, target: 1}]}
  - {type: memory, capabilities: [{name: memory_gib, amount: 4}, {name: memory_bandwidth_gbps, amount: 20}]}
"""
UNIT = "lru: {name: ocr-unit, unit: {gpu_memory_gib: 12, host_memory_gib: 4}, count: %d}\n"


def demand(text: str) -> Demand:
    read = parse(HEAD + text).document
    assert isinstance(read, Document)
    return read.body


def request(text: str) -> Request:
    told = demand(text).needs_json()
    needs, spread = needs_of(told["needs"]), told.get("spread") == "device"  # type: ignore[arg-type]
    return Request("j", needs, NOW, same=str(told["same"]), near=near_of(told), is_spread=spread)


def placed(text: str, *nodes: Node) -> Placement | None:
    return next(iter(plan(cluster(*nodes, queue=(request(text),))).placements), None)


def test_each_component_has_its_own_numa_node() -> None:
    placement = placed(PARTS, gpu_node())
    assert placement is not None
    embedding, decoder, pool = placement.picks
    assert decoder.numa_node == pool.numa_node != embedding.numa_node


def test_without_a_wish_of_their_own_components_stay_together() -> None:
    assert placed(PARTS.replace("  alignment: {same: numa}\n", ""), gpu_node()) is None


def test_all_components_or_none() -> None:
    greedy = PARTS.replace("amount: 4}", "amount: 64}")
    assert placed(greedy, gpu_node()) is None


def test_the_unit_of_a_service_fills_in_what_resources_leave_open() -> None:
    told = demand("resources: [{type: gpu, constraints: {vendor: nvidia}}]\n" + UNIT % 1).held()
    assert [(r.type, dict(r.amounts), len(r.rules)) for r in told] == [
        ("gpu", {"gpu_memory_bytes": 12 * GIB}, 1), ("memory", {"memory_bytes": 4 * GIB}, 0),
    ]  # fmt: skip


def test_a_resource_that_states_more_than_the_unit_keeps_it() -> None:
    more = "resources: [{type: memory, capabilities: [{name: memory_gib, amount: 9}]}]\n"
    assert {r.type: dict(r.amounts) for r in demand(more + UNIT % 1).held()}["memory"] == {"memory_bytes": 9 * GIB}


def test_units_share_a_card_as_far_as_its_memory_goes() -> None:
    card = Node("n", (gpu("g"), memory("n")))
    assert placed(UNIT % 3, card) is not None
    assert placed(UNIT % 4, card) is None


def test_each_unit_is_near_itself() -> None:
    placement = placed(UNIT % 4, gpu_node())
    assert placement is not None
    numas = [pick.numa_node for pick in placement.picks]
    assert numas[:4] == numas[4:] and set(numas) == {0, 1}


def test_beside_components_the_unit_is_one_more() -> None:
    near = demand(PARTS + UNIT % 1).needs_json()["components"]
    assert isinstance(near, dict) and set(near) == {"embedding", "decoder", "ocr-unit"}


def test_spread_keeps_needs_on_devices_of_their_own() -> None:
    card = "{type: gpu, capabilities: [{name: gpu_memory_gib, amount: 1}]}"
    twice = f"resources: [{card}, {card}]\n"
    one, two = Node("n", (gpu("g"), cpu("n"), disk("n"))), Node("n", (gpu("g"), gpu("h")))
    assert placed(twice, one) is not None
    assert placed(twice + "alignment: {spread: device}\n", one) is None
    assert placed(twice + "alignment: {spread: device, same: numa}\n", two) is not None


def test_only_what_is_not_enforced_is_warned_of() -> None:
    codes = [w.code for w in parse(HEAD + PARTS + UNIT % 2 + "alignment: {spread: device}\n").warnings]
    assert "not_enforced" not in codes
    codes = [w.code for w in parse(HEAD + UNIT % 2 + "alignment: {spread: node}\n").warnings]
    assert "not_enforced" not in codes
    assert "not_enforced" in [w.code for w in parse(HEAD + UNIT % 1 + "alignment: {spread: node}\n").warnings]
