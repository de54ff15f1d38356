"""The published schema is made of the parser's tables, and refuses nothing that the parser takes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from jsonschema import Draft202012Validator

import profiles
from profiles.hkb.lookup import published
from profiles.hkb.upload import read_upload
from profiles.rcdl.parse import parse
from profiles.rcdl.schema import schema
from tests.pure.rcdl_documents import ARTICLE_PCIE, ARTICLE_PROFILE, ARTICLE_SUPPLY, demands, supplies

ROOT = Path(profiles.__file__).parents[1]
VALIDATOR = Draft202012Validator(schema())
SHIPPED = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "profiles" / "data").glob("*.yaml"))]


def test_the_schema_in_the_docs_is_the_one_we_make() -> None:
    assert json.loads((ROOT / "docs" / "rcdl.schema.json").read_text()) == schema()


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("text", [ARTICLE_SUPPLY, ARTICLE_PCIE.replace("0000:", "x"), ARTICLE_PROFILE, *SHIPPED])
def test_known_documents_pass(text: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))] == []


@pytest.mark.parametrize("page", ["rcdl.md", "rcdl-hardware.md"])
def test_the_examples_in_the_docs_are_valid(page: str) -> None:
    examples = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    for text in examples:
        faults = parse(text).errors if text.startswith("name:") else read_upload(text, published()).parts[:0]
        assert examples and faults == ()


@settings(max_examples=40, deadline=None)
@given(demands() | supplies())
def test_what_the_parser_takes_passes_the_schema(plain: dict[str, Any]) -> None:
    assert parse(json.dumps(plain)).errors == ()
    assert VALIDATOR.is_valid(plain)


@pytest.mark.parametrize(
    "change",
    [
        {"resorces": []},
        {"version": "one"},
        {"grace_period": 30},
        {"alignment": {"same": "rack"}},
        {"resources": [{"type": "gpu", "capabilities": [{"name": "iops", "target": 0.5}]}]},
        {"resources": [{"type": "gpu", "constraints": {"min_colour": 1}}]},
        {"scheduling": {"policy": "lottery"}},
    ],
)
def test_the_schema_refuses_what_the_parser_refuses(change: dict[str, Any]) -> None:
    plain = yaml.safe_load(ARTICLE_PROFILE) | change
    assert not VALIDATOR.is_valid(plain)
    assert parse(json.dumps(plain)).errors
