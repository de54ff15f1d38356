"""Documents are read as the language says, and every fault is located."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import profiles
from profiles.dimensions import ADDITIVE
from profiles.errors import InvalidDocument, UnknownMode
from profiles.hkb.lookup import published
from profiles.rcdl.document import Document, Rule, Supply, resolve
from profiles.rcdl.parse import Result, load, parse
from profiles.rcdl.units import KNOWN, duration_ms

SHIPPED = Path(profiles.__file__).parent / "data" / "ocr-train-infer-1.0.yaml"
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
description: Optimized for BERT training and inference on A100
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
ALIAS_BOMB = "a: &a [0,0,0,0,0,0,0,0,0]\n" + "".join(
    f"{this}: &{this} [{','.join([f'*{last}'] * 9)}]\n" for last, this in ("ab", "bc", "cd", "de")
)
BODY = "name: x\nversion: '1.0'\nresources:\n- type: gpu\n"


def codes(text: str) -> list[str]:
    return [problem.code for problem in parse(text).errors]


def document(text: str) -> Document:
    return load(text)


@pytest.mark.parametrize("text", [ARTICLE_SUPPLY, ARTICLE_PCIE, ARTICLE_PROFILE])
def test_the_documents_of_the_article_are_valid(text: str) -> None:
    assert parse(text).errors == ()


def test_supply_is_read_in_base_units_and_addresses_stay_text() -> None:
    supply, tree = parse(ARTICLE_SUPPLY).document, parse(ARTICLE_PCIE).document
    assert isinstance(supply, Supply) and isinstance(tree, Supply)
    assert supply.parts[0].attributes["hbm_bandwidth"] == 2_039 * 10**9
    assert tree.parts[0].attributes["pci_bus_id"] == "0000:00:01.0"


def test_a_profile_becomes_shares_rules_and_rates() -> None:
    body = document(ARTICLE_PROFILE).body
    assert body.resources[0].shares == {"gpu_sm": 850_000, "hbm_bandwidth": 900_000}
    assert Rule("sm_count", "min", 108) in body.resources[0].rules
    assert Rule("latency_us", "max", 80) in body.resources[2].rules
    assert body.rates_nano["gpu_hour"] == 12_500_000_000


def test_the_shipped_profile_fits_two_cores_in_both_modes() -> None:
    shipped = document(SHIPPED.read_text(encoding="utf-8"))
    training, inference = resolve(shipped, "training"), resolve(shipped, "inference")
    assert (shipped.name, shipped.version, set(shipped.modes)) == ("ocr-train-infer", "1.0", {"training", "inference"})
    assert (inference.grace_ms, training.grace_ms) == (5_000, 2_000)
    assert inference.resources[1].amounts == {"memory_bytes": 768 * 2**20}
    assert inference.serving.qps == 200 and inference.serving.p99_ms_max == 50


def test_an_overlay_keeps_what_it_does_not_name() -> None:
    more = "modes: {inference: {resources: [{type: gpu, capabilities: [{name: sm_utilization, target: 0.3}]}]}}\n"
    mode = resolve(document(ARTICLE_PROFILE + more), "inference")
    assert mode.resources[0].shares == {"gpu_sm": 300_000, "hbm_bandwidth": 900_000}
    assert len(mode.resources) == 3


def test_an_alternative_is_the_body_with_one_thing_changed() -> None:
    more = "alternatives: [{resources: [{type: gpu, constraints: {model: v100-sxm2-16gb}}]}]\n"
    rung = document(ARTICLE_PROFILE + more).alternatives[0]
    assert Rule("model", "eq", "v100-sxm2-16gb") in rung.resources[0].rules


def test_an_unknown_mode_names_the_known_ones() -> None:
    with pytest.raises(UnknownMode, match="has no mode 'serve'"):
        resolve(document(ARTICLE_PROFILE), "serve")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: x\nname: y\n", "duplicate"),
        ("[1, 2", "syntax"),
        ("", "missing"),
        ("- 1", "wrong_type"),
        (BODY.replace("'1.0'", "one"), "bad_version"),
        (BODY + "  cuont: 2", "unknown_key"),
        (BODY + "  count: 0", "out_of_range"),
        (BODY + "  count: two", "wrong_type"),
        (BODY + "  capabilities: [{name: hbm_bandwith, target: 0.5}]", "unknown_capability"),
        (BODY + "  capabilities: [{name: hbm_bandwidth, target: 1.5}]", "out_of_range"),
        (BODY + "  capabilities: [{name: hbm_bandwidth, target: .nan}]", "wrong_type"),
        (BODY + "  capabilities: [{name: hbm_bandwidth}]", "missing"),
        (BODY + "  capabilities: [{name: memory_gb, amount: 2, target: 0.5}]", "contradiction"),
        (BODY + "  capabilities: [{name: memory_gb, amount: 2 furlongs}]", "unknown_unit"),
        (BODY + "  capabilities: [{name: memory_bandwidth_gbps, amount: 200 Gb/s}]", "unit_mismatch"),
        (BODY + "  capabilities: [{name: memory_bandwidth_gbps, amount: 120 MB/s}]", "unit_mismatch"),
        (BODY + "  capabilities: [{name: memory_bandwidth_gbps, amount: 2000000}]", "unit_slip"),
        (BODY + "  constraints: {model: {regex: '(a+)+$'}}", "out_of_range"),
        (BODY + "grace_period: 30", "wrong_type"),
        (BODY + "alignment: {same: rack}", "out_of_range"),
        (BODY + "cost_model: {gpu_hour: -1}", "out_of_range"),
        (BODY + "a: &a [1]\nb: *b\n", "syntax"),
        (BODY + "modes: {m: {resourcs: []}}", "unknown_key"),
        ("x: " + "[" * 70 + "]" * 70, "too_large"),
        (ALIAS_BOMB, "too_large"),
        ("x" * 300_000, "too_large"),
        ("a: \x00", "encoding"),
    ],
)
def test_each_fault_has_its_code(text: str, expected: str) -> None:
    assert expected in codes(text)


def test_an_error_says_where_what_and_what_instead() -> None:
    problem = parse(BODY + "  capabilities:\n  - name: hbm_bandwith\n    target: 0.5\n").errors[0]
    assert (problem.line, problem.column, problem.path) == (6, 5, "resources[0].capabilities[0].name")
    assert (problem.found, problem.suggestion) == ("hbm_bandwith", "did you mean hbm_bandwidth?")


def test_a_slip_of_the_unit_asks_for_the_unit() -> None:
    text = "resources: [{name: m, type: memory, attributes: {memory_bandwidth_gbps: 384000}}]"
    problem = parse(text).errors[0]
    assert problem.code == "unit_slip" and "which unit" in (problem.suggestion or "")


def test_an_inherited_fault_is_told_once() -> None:
    assert len(parse(BODY + "  count: 0\nmodes: {a: {}, b: {}, c: {grace_period: 1s}}\n").errors) == 1


@pytest.mark.parametrize(("written", "read"), [("1.0", "1.0"), ("1.10", "1.10"), ("'2.3'", "2.3")])
def test_a_version_is_the_text_as_written(written: str, read: str) -> None:
    assert document(BODY.replace("'1.0'", written)).version == read


def test_reading_the_canonical_form_again_changes_nothing() -> None:
    for text in (ARTICLE_PROFILE, SHIPPED.read_text(encoding="utf-8")):
        once = document(text)
        again = document(once.canonical)
        assert (again.body, again.modes, again.digest) == (once.body, once.modes, once.digest)


def test_load_refuses_with_all_problems() -> None:
    with pytest.raises(InvalidDocument) as refused:
        load(BODY + "  count: 0\nfoo: 1\n")
    assert [p["code"] for p in refused.value.problems] == ["out_of_range", "unknown_key"]


def test_needs_are_plain_data_for_the_scheduler() -> None:
    needs = resolve(document(SHIPPED.read_text(encoding="utf-8")), "training").needs_json()
    assert needs["same"] == "numa" and isinstance(needs["needs"], list)
    assert {name for need in needs["needs"] for name in need["amounts"]} <= set(ADDITIVE)


def test_durations_need_their_unit() -> None:
    assert [duration_ms(text) for text in ("500ms", "30s", "5m", "30", "-1s")] == [500, 30_000, 300_000, None, None]


def test_no_known_part_is_outside_the_plausible_range() -> None:
    facts = [(n, f.value) for p in published().parts for n, f in p.facts.items() if n in KNOWN]
    assert all(KNOWN[name][0] <= float(value) <= KNOWN[name][1] for name, value in facts)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200) | st.text(alphabet="{}[]:,-&*a1 \n'\"", max_size=80))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    assert isinstance(parse(text), Result)
