"""A document and its canonical form say the same, however it was written."""

import json
from typing import Any

import yaml
from hypothesis import given, settings

from profiles.rcdl.document import Document, Supply
from profiles.rcdl.dump import as_plain, as_yaml, dump
from profiles.rcdl.parse import load, parse
from tests.pure.rcdl_documents import ARTICLE_PROFILE, demands, supplies

Plain = dict[str, Any]


def read(text: str) -> Document | Supply:
    result = parse(text)
    assert result.document is not None, result.errors
    return result.document


@settings(max_examples=150, deadline=None)
@given(demands())
def test_reading_what_was_written_gives_the_same_profile(plain: Plain) -> None:
    document = read(json.dumps(plain))
    assert read(dump(document)) == document
    assert read(as_yaml(document)) == document


@settings(max_examples=50, deadline=None)
@given(supplies())
def test_reading_what_was_written_gives_the_same_hardware(plain: Plain) -> None:
    document = read(json.dumps(plain))
    assert read(dump(document)) == document == read(as_yaml(document))


@settings(max_examples=50, deadline=None)
@given(demands())
def test_yaml_and_json_are_one_language(plain: Plain) -> None:
    assert read(json.dumps(plain)) == read(yaml.safe_dump(plain, allow_unicode=True))


def test_other_words_for_the_same_thing_have_the_same_digest() -> None:
    said = ARTICLE_PROFILE.replace("min_sm_count: 108", "sm_count: {min: 108}").replace("0.90", "0.9")
    told = said.replace("grace_period: 30s", "").replace("latency_us, max: 80", "latency_us, max: 80 us")
    assert load(told).digest == load(ARTICLE_PROFILE).digest


def test_another_meaning_has_another_digest() -> None:
    assert load(ARTICLE_PROFILE.replace("0.85", "0.86")).digest != load(ARTICLE_PROFILE).digest


def test_a_mode_is_written_as_what_it_changes() -> None:
    mode = "modes: {inference: {grace_period: 5s, resources: [{type: gpu, constraints: {model: null}}]}}\n"
    plain = as_plain(read(ARTICLE_PROFILE + mode))
    assert plain["modes"] == {
        "inference": {
            "grace_period": "5000ms",
            "resources": [{"type": "gpu", "constraints": {"model": None}}, {"type": "memory"}, {"type": "storage"}],
        }
    }
