"""What is added after a release is judged like a document: units, ranges, sources, places of faults."""

from typing import Any

import pytest

from profiles.errors import InvalidDocument
from profiles.hkb.lookup import published
from profiles.hkb.reading import read_part
from profiles.hkb.upload import Upload, read_upload

PARTS = """
checked: '2026-12-01'
parts:
- type: gpu
  vendor: nvidia
  model: b300-sxm-288gb
  names: [NVIDIA B300]
  pci_ids: ['10de:3182']
  facts:
    hbm_bandwidth: {value: 8000, unit: GB/s, quality: published, source: vendor page}
    memory_gb: {value: 288, quality: published, source: vendor page, date: 2026-12-02}
    l2_mb: {value: null, quality: unknown, source: none}
"""
OVERRIDE = """
hardware_knowledge_base:
  override:
  - {vendor: amd, model: epyc-9654, ipc_baseline: 1.82, memory_bandwidth_gbps: 420}
"""


def upload(text: str) -> Upload:
    return read_upload(text, published())


def faults(text: str) -> list[Any]:
    with pytest.raises(InvalidDocument) as refused:
        upload(text)
    return [(problem["code"], problem["line"]) for problem in refused.value.problems]


def test_a_new_part_is_read_in_base_units() -> None:
    found = read_part(upload(PARTS).parts[0])
    assert (found.facts["hbm_bandwidth"].value, found.facts["gpu_memory_bytes"].value) == (8 * 10**12, 288 * 10**9)
    assert (found.facts["l2_mb"].value, found.facts["l2_mb"].grade) == (None, "unknown")
    assert (found.facts["hbm_bandwidth"].checked, found.facts["gpu_memory_bytes"].checked) == (
        "2026-12-01",
        "2026-12-02",
    )


def test_a_value_above_every_known_part_is_kept_with_a_warning() -> None:
    assert [w.code for w in upload(PARTS).warnings] == ["unit_slip"]


def test_the_operators_form_needs_no_type_for_a_known_part() -> None:
    found = upload(OVERRIDE)
    part = read_part(found.parts[0])
    assert (found.kind, part.type) == ("override", "cpu")
    assert (part.facts["memory_bandwidth"].value, part.facts["ipc_baseline"].value) == (420 * 10**9, 1.82)
    assert part.facts["memory_bandwidth"].grade == "overridden"


def test_an_unknown_part_gets_its_type_from_what_is_said_of_it() -> None:
    assert upload(OVERRIDE.replace("9654", "9999")).parts[0]["type"] == "cpu"
    assert faults(OVERRIDE.replace("9654", "9999").replace("ipc_baseline: 1.82, ", "")) == [("missing", 4)]


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("value: 8000", "value: 8000000", ("unit_slip", 10)),
        ("GB/s", "Gb/s", ("unit_mismatch", 10)),
        ("hbm_bandwidth", "hbm_bandwith", ("unknown_key", 10)),
        (", source: vendor page}", "}", ("missing", 10)),
        ("value: null", "value: 4", ("contradiction", 12)),
        ("quality: published, source: vendor page}", "quality: sure, source: x}", ("out_of_range", 10)),
        ("model: b300-sxm-288gb", "model: B300 SXM", ("out_of_range", 6)),
        ("'10de:3182'", "'10de-3182'", ("out_of_range", 8)),
        ("type: gpu", "type: gpuu", ("out_of_range", 4)),
        ("checked: '2026-12-01'", "checked: yesterday", ("wrong_type", 2)),
        ("names: [NVIDIA B300]", "names: NVIDIA B300", ("wrong_type", 7)),
    ],
)
def test_each_fault_is_located(before: str, after: str, fault: tuple[str, int]) -> None:
    assert fault in faults(PARTS.replace(before, after))


def test_one_model_is_told_once() -> None:
    entry = PARTS[PARTS.index("- type") :]
    assert ("duplicate", 15) in faults(PARTS + entry)


@pytest.mark.parametrize("text", ["", "[", "- 1", "parts: []", "hardware_knowledge_base: 1", "parts: [{}]", "x: 1"])
def test_any_text_is_answered(text: str) -> None:
    assert faults(text)


def test_the_digest_is_of_the_meaning() -> None:
    assert upload(PARTS).digest == upload(PARTS + "# seen again\n").digest
