"""Text is kept as written; anchors, merge keys, byte order marks and JSON are understood."""

import pytest

from profiles.rcdl.document import Document
from profiles.rcdl.parse import load

BODY = "name: x\nversion: '1.0'\nresources:\n- type: gpu\n"


def document(text: str) -> Document:
    return load(text)


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


@pytest.mark.parametrize(("written", "read"), [("1.0", "1.0"), ("1.10", "1.10"), ("'2.3'", "2.3")])
def test_a_version_is_the_text_as_written(written: str, read: str) -> None:
    assert document(BODY.replace("'1.0'", written)).version == read
