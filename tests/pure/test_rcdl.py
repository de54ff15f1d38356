"""Documents are read as the language says, and every fault is located."""

from pathlib import Path

import pytest

import profiles
from profiles.dimensions import ADDITIVE
from profiles.errors import InvalidDocument, UnknownMode
from profiles.hkb.lookup import published
from profiles.rcdl.document import Document, Rule, Supply, resolve
from profiles.rcdl.parse import load, parse
from profiles.rcdl.units import KNOWN, duration_ms
from tests.pure.rcdl_documents import ARTICLE_PCIE, ARTICLE_PROFILE, ARTICLE_SUPPLY

SHIPPED = Path(profiles.__file__).parent / "data" / "ocr-train-infer-1.0.yaml"
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
        ("x" * 10_000_001, "too_large"),
        (BODY + "  constraints: {min_sm_count: 108, max_sm_count: 80}", "contradiction"),
        (BODY + "  constraints: {sm_count: 80, min_sm_count: 108}", "contradiction"),
        (BODY + "  constraints: {min_version: sm_80, compute_capability: {min: sm_70}}", "duplicate"),
        (BODY + "  constraints: {sm_count: {regex: x}}", "contradiction"),
        (BODY + "  constraints: {max_version: sm_80}", "out_of_range"),
        (BODY + "lru: {name: u, unit: {sm_count: 1}}", "contradiction"),
        (BODY + "  count: !many 2", "syntax"),
        (BODY + "components: [{name: a, resources: []}]", "contradiction"),
        (BODY + "alternatives: [" + "{}," * 17 + "]", "too_large"),
        (BODY + "  constraints: {fp32_tflops: 19 TFLOSP}", "unknown_unit"),
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


def test_bits_are_told_from_bytes_with_the_figure() -> None:
    problem = parse(BODY + "  capabilities: [{name: nvlink_bandwidth_gbps, amount: 200 Gb/s}]\n").errors[0]
    assert problem.suggestion == "200 Gb/s is 25 GB/s: divide by 8"


@pytest.mark.parametrize("amount", ["8001", "8001 GB/s", "80 TB/s"])
def test_above_the_fastest_known_part_is_only_a_warning(amount: str) -> None:
    result = parse(
        BODY + f"  capabilities: [{{name: hbm_bandwidth_gbps, amount: {amount}}}]\n".replace("80 TB/s", "8100")
    )
    assert (result.errors, [w.code for w in result.warnings]) == ((), ["unit_slip"])


def test_text_stays_text_whatever_it_looks_like() -> None:
    text = BODY.replace("'1.0'", "1.10") + "  constraints: {model: [1.10, 0o17, yes], pci_bus_id: 0000:00:01.0}\n"
    read = document(text)
    assert (read.version, read.body.resources[0].rules[0].value) == ("1.10", ("1.10", "0o17", "yes"))


def test_anchors_and_merge_keys_are_resolved() -> None:
    text = BODY.replace("- type: gpu", "- &a {type: gpu, count: 2}\n- {<<: *a, count: 3}")
    assert [r.count for r in document(text).body.resources] == [2, 3]


def test_a_byte_order_mark_and_json_are_tolerated() -> None:
    json = (
        b'\xef\xbb\xbf{"name": "x", "version": "1.0", "resources": [{"type": "gpu"}], "description": "\\ud83d\\ude80"}'
    )
    assert document(json.decode()).description == "\N{ROCKET}"
    assert load(json).version == "1.0"


def test_components_are_placed_copy_by_copy() -> None:
    more = "components: [{name: d, count: 2, alignment: {same: node}, resources: [{type: gpu}]}]\n"
    body = document("name: x\nversion: '1.0'\n" + more).body
    assert [r.component for r in body.resources] == ["d.0", "d.1"]
    assert body.needs_json()["components"] == {
        name: {"same": "node", "allow_cross_numa": False} for name in ("d.0", "d.1")
    }


def test_what_an_engine_cannot_carry_is_told() -> None:
    result = parse(BODY + f"  count: 33\n  constraints: {{model: {'m' * 65}}}\n")
    assert [w.code for w in result.warnings] == ["unused", "engine_limit"]


def test_an_inherited_fault_is_told_once() -> None:
    assert len(parse(BODY + "  count: 0\nmodes: {a: {}, b: {}, c: {grace_period: 1s}}\n").errors) == 1


@pytest.mark.parametrize(("written", "read"), [("1.0", "1.0"), ("1.10", "1.10"), ("'2.3'", "2.3")])
def test_a_version_is_the_text_as_written(written: str, read: str) -> None:
    assert document(BODY.replace("'1.0'", written)).version == read


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


def test_the_plausible_ranges_are_those_of_the_known_parts() -> None:
    seen = published().ranges
    assert all(KNOWN[name][0] <= low for name, (low, _) in seen.items() if name in KNOWN)
    held = set(KNOWN) - {"pcie_bandwidth", "latency_us"}  # wider: PCIe 6.0 slots, and drives slower than any NVMe
    largest = {name: high for name, (_, high) in seen.items() if name in held}
    assert largest == {name: KNOWN[name][1] for name in largest}
