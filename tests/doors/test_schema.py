"""The published OpenAPI document is valid 3.1 and names every endpoint."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from openapi_spec_validator import validate


@pytest.fixture(scope="module")
def document() -> Any:
    answer = Client().get("/api/schema/", {"format": "json"})
    assert answer.status_code == 200
    return json.loads(answer.content)


def test_the_document_is_valid(document: Any) -> None:
    validate(document)
    assert document["openapi"].startswith("3.1")


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/profiles",
        "/api/v1/jobs",
        "/api/v1/jobs/{reference}/cancel",
        "/api/v1/jobs/{reference}/logs",
        "/api/v1/jobs/{}/metrics",
        "/api/v1/schedule",
        "/api/v1/resources",
        "/api/v1/events",
        "/api/v1/cost/jobs/{}",
        "/api/v1/pipelines",
    ],
)
def test_every_room_is_listed(document: Any, path: str) -> None:
    anonymous = {re.sub(r"\{[^}]*\}", "{}", found) for found in document["paths"]}
    assert re.sub(r"\{[^}]*\}", "{}", path) in anonymous
