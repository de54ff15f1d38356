"""What somebody who knows hardware remarks on a document."""

import pytest

from profiles.hkb.advice import HardwareAdvisor
from profiles.hkb.lookup import published
from profiles.rcdl.parse import parse

KNOWN = published()


def remarks(text: str) -> list[tuple[str, str]]:
    result = parse(text, HardwareAdvisor(KNOWN))
    assert result.errors == ()
    return [(warning.code, warning.path) for warning in result.warnings]


def test_a_described_value_is_held_against_the_known_one() -> None:
    told = "resources: [{name: g, type: gpu, model: a100-sxm4-40gb, attributes: {memory_bandwidth_gbps: 2039}}]"
    assert remarks(told) == [("disagrees", "resources[0].attributes.memory_bandwidth_gbps")]
    assert remarks(told.replace("40gb", "80gb")) == []


@pytest.mark.parametrize(("model", "codes"), [
    ("NVIDIA A100-SXM4-40GB", ["unknown_part"]), ("a100-sxm4-40bg", ["unknown_part"]), ("my-own-card", []),
])  # fmt: skip
def test_a_misspelt_model_is_told_and_a_new_one_is_not(model: str, codes: list[str]) -> None:
    text = "name: p\nversion: '1.0'\nresources:\n- type: gpu\n  capabilities: [{name: sm, target: 1}]\n"
    assert [code for code, _ in remarks(f"{text}  constraints: {{model: {model}}}\n")] == codes


def test_what_no_wanted_model_meets_is_told() -> None:
    text = (
        "name: p\nversion: '1.0'\nresources:\n- type: gpu\n  capabilities: [{name: sm, target: 1}]\n"
        "  constraints: {model: [v100-sxm2-16gb, v100-sxm2-32gb], min_version: sm_75}\n"
    )
    assert remarks(text) == [("contradiction", "resources[0].constraints.min_version")]
    assert remarks(text.replace("sm_75", "sm_70")) == []
    assert remarks(text.replace("v100-sxm2-32gb", "t4")) == []


@pytest.mark.parametrize(("processor", "expected"), [("epyc-7742", ["cannot_coexist"]), ("xeon-platinum-8358", [])])
def test_memory_that_a_processor_cannot_drive_is_told(processor: str, expected: list[str]) -> None:
    text = f"""
resources:
- {{name: c, type: cpu, model: {processor}, attributes: {{cores: 32}}}}
- {{name: m, type: memory, model: optane-pmem-200, attributes: {{capacity_gb: 512}}}}
"""
    assert [code for code, _ in remarks(text)] == expected


def test_a_card_above_the_processors_slots_is_told() -> None:
    text = """
resources:
- {name: c, type: cpu, model: xeon-gold-6248r, attributes: {cores: 24}}
- {name: g, type: gpu, model: a100-sxm4-40gb, attributes: {sm_count: 108}}
"""
    assert remarks(text) == [("disagrees", "resources[1].model")]
