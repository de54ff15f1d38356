"""A fault says where, what and what instead; what is odd but possible is a warning."""

import pytest

from profiles.errors import InvalidDocument
from profiles.hkb.lookup import published
from profiles.rcdl.parse import load, parse
from profiles.rcdl.units import KNOWN, duration_ms

BODY = "name: x\nversion: '1.0'\nresources:\n- type: gpu\n"


def test_an_error_says_where_what_and_what_instead() -> None:
    problem = parse(BODY + "  capabilities:\n  - name: hbm_bandwith\n    target: 0.5\n").errors[0]
    assert (problem.line, problem.column, problem.path) == (6, 5, "resources[0].capabilities[0].name")
    assert (problem.found, problem.suggestion) == ("hbm_bandwith", "did you mean hbm_bandwidth?")


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        (BODY.replace("name: x", "name: My Model"), "my-model?"),
        (BODY + "  capabilities: [{name: sm, target: 85}]", "0.85?"),
        (BODY + "  capabilities: [{name: memory_gb, amount: 0}]", "leave the capability out to take nothing of it"),
        (BODY + "alignment: {allow_cross_numa: yes}", "true?"),
        (BODY + "colour: red", "the nearest known word is lru"),
        (BODY + "grace_period: 30", "30s?"),
        (BODY.replace("version: '1.0'\n", ""), 'add major.minor such as "1.0"'),
    ],
)
def test_every_fault_comes_with_what_to_do(text: str, suggestion: str) -> None:
    assert suggestion in [problem.suggestion for problem in parse(text).errors]


def test_a_slip_of_the_unit_asks_for_the_unit() -> None:
    text = "resources: [{name: m, type: memory, attributes: {memory_bandwidth_gbps: 384000}}]"
    problem = parse(text).errors[0]
    assert problem.code == "unit_slip" and "which unit" in (problem.suggestion or "")


def test_bits_are_told_from_bytes_with_the_figure() -> None:
    problem = parse(BODY + "  capabilities: [{name: nvlink_bandwidth_gbps, amount: 200 Gb/s}]\n").errors[0]
    assert problem.suggestion == "200 Gb/s is 25 GB/s: divide by 8"


@pytest.mark.parametrize("amount", ["8001", "8001 GB/s"])
def test_above_the_fastest_known_part_is_only_a_warning(amount: str) -> None:
    result = parse(BODY + f"  capabilities: [{{name: hbm_bandwidth_gbps, amount: {amount}}}]\n")
    assert (result.errors, [w.code for w in result.warnings]) == ((), ["unit_slip"])


def test_what_an_engine_cannot_carry_is_told() -> None:
    result = parse(BODY + f"  count: 33\n  constraints: {{model: {'m' * 65}}}\n")
    assert [w.code for w in result.warnings] == ["unused", "engine_limit"]


def test_an_inherited_fault_is_told_once() -> None:
    assert len(parse(BODY + "  count: 0\nmodes: {a: {}, b: {}, c: {grace_period: 1s}}\n").errors) == 1


def test_load_refuses_with_all_problems() -> None:
    with pytest.raises(InvalidDocument) as refused:
        load(BODY + "  count: 0\nfoo: 1\n")
    assert [p["code"] for p in refused.value.problems] == ["out_of_range", "unknown_key"]


def test_durations_need_their_unit() -> None:
    assert [duration_ms(text) for text in ("500ms", "30s", "5m", "30", "-1s")] == [500, 30_000, 300_000, None, None]


def test_the_plausible_ranges_are_those_of_the_known_parts() -> None:
    seen = published().ranges
    assert all(KNOWN[name][0] <= low for name, (low, _) in seen.items() if name in KNOWN)
    held = set(KNOWN) - {"pcie_bandwidth", "latency_us"}  # wider: PCIe 6.0 slots, and drives slower than any NVMe
    largest = {name: high for name, (_, high) in seen.items() if name in held}
    assert largest == {name: KNOWN[name][1] for name in largest}
