"""Every fault has its stable code."""

import pytest

from profiles.rcdl.parse import parse

ALIAS_BOMB = "a: &a [0,0,0,0,0,0,0,0,0]\n" + "".join(
    f"{this}: &{this} [{','.join([f'*{last}'] * 9)}]\n" for last, this in ("ab", "bc", "cd", "de")
)
BODY = "name: x\nversion: '1.0'\nresources:\n- type: gpu\n"


def codes(text: str) -> list[str]:
    return [problem.code for problem in parse(text).errors]


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
        (BODY + "  constraints: {model: {regex: '(.|..)+X'}}", "out_of_range"),
        (BODY + "  constraints: {model: {regex: '.*.*.*.*X'}}", "out_of_range"),
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
