"""No text makes the reader fail, hang or swell: broken, huge, deep and self-multiplying ones."""

import json
import resource
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiles.hkb.advice import HardwareAdvisor
from profiles.hkb.lookup import published
from profiles.rcdl.build import MAX_BYTES
from profiles.rcdl.parse import Result, parse
from profiles.rcdl.problems import MOST
from tests.pure.rcdl_documents import ARTICLE_PROFILE, ARTICLE_SUPPLY, demands

ADVISOR = HardwareAdvisor(published())
ALIASES = "a: &a [0,0,0,0,0,0,0,0,0]\n" + "".join(
    f"{this}: &{this} [{','.join([f'*{last}'] * 9)}]\n" for last, this in zip("abcdefgh", "bcdefghi", strict=True)
)
NESTED_ALIASES = (
    "a0: &a0 "
    + "[" * 60
    + "]" * 60
    + "\n"
    + "".join(f"a{n}: &a{n} {'[' * 60}*a{n - 1}{']' * 60}\n" for n in range(1, 20))
)
TEMPLATE = "name: x\nversion: '1.0'\nresources:\n"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def judged(text: str | bytes) -> Result:
    result = parse(text, ADVISOR)
    assert (result.document is None) == bool(result.errors)
    assert all(problem.suggestion for problem in result.errors)
    assert len(result.errors) <= MOST and len(result.warnings) <= MOST
    assert all(problem.line >= 1 and problem.column >= 1 for problem in (*result.errors, *result.warnings))
    json.dumps(result.as_json())
    return result


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200) | st.binary(max_size=200) | st.text(alphabet="{}[]:,-&*!<|>%?@a1 \n\t'\"", max_size=80))
def test_any_text_is_answered(text: str | bytes) -> None:
    judged(text)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([ARTICLE_PROFILE, ARTICLE_SUPPLY]), st.data())
def test_a_damaged_document_is_answered(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    judged(text[:start] + data.draw(st.text(alphabet="{}[]:,-&*a1.9 \n'\"", max_size=8)) + text[end:])


@settings(max_examples=150, deadline=None)
@given(demands(), JSON, st.data())
def test_a_wrong_value_anywhere_is_answered(plain: dict[str, Any], wrong: object, data: st.DataObject) -> None:
    place: Any = plain
    while isinstance(place, dict | list) and place:
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            place[key] = wrong
            break
        place = place[key]
    judged(json.dumps(plain))


@pytest.mark.parametrize(
    "text",
    [
        ALIASES,
        NESTED_ALIASES,
        "a: &a [*a]",
        "x: " + "[" * 200_000,
        "{a: " * 200_000,
        "- " * 200_000,
        "? " * 200_000,
        "\n".join(" " * depth + "a:" for depth in range(200)),
        TEMPLATE + "- {type: gpuu, cuont: 1}\n" * 20_000,
        TEMPLATE + "- {type: gpu}\n" * 2_000 + "modes: {" + ",".join(f"m{n}: {{}}" for n in range(16)) + "}",
        TEMPLATE.replace("resources", "components") + "- {name: a, count: 4096, resources: [{type: gpu}]}\n" * 900,
        TEMPLATE + "- {type: gpu, count: " + "9" * 100_000 + "}",
        TEMPLATE + "- {type: gpu, constraints: {model: {regex: '" + "(" * 190 + "'}}}",
        "'" * 1_000_001,
    ],
)
def test_what_would_run_away_is_stopped(text: str) -> None:
    assert judged(text).errors


def test_ten_megabytes_are_read_in_bounded_memory() -> None:
    part = "- {name: r%d, type: gpu, model: a100-sxm4-40gb, attributes: {sm_count: 108}, vendor: %s}\n"
    text = "resources:\n" + "".join(part % (number, "v" * 4000) for number in range(2_400))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(text) > 0.95 * MAX_BYTES and judged(text).kind == "supply"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * (1 if sys.platform == "darwin" else 1024) < 200_000_000
    assert judged(text + text).errors[0].code == "too_large"
