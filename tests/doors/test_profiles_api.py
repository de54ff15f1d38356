"""The REST door of profiles."""

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.services.tokens import issue_token

NOW = 1_795_000_000_000
URL = "/api/v1/profiles"
TEXT = (Path(settings.BASE_DIR) / "profiles" / "data" / "ocr-train-infer-1.0.yaml").read_text(encoding="utf-8")
YAML = "application/yaml"


@pytest.fixture
def api() -> Client:
    """An administrator's client."""
    home = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    secret = "alldata_test_token_0123456789abcdef"
    issue_token(user_id=home.user_id, project_id=home.project_id, name="test", secret=secret, now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def test_a_document_is_uploaded_published_and_read_back(api: Client) -> None:
    drafted = api.post(URL, TEXT, content_type=YAML)
    assert (drafted.status_code, drafted.json()["status"]) == (201, "draft")
    assert api.post(f"{URL}/ocr-train-infer/1.0/publish").json()["status"] == "published"
    read = api.get(f"{URL}/ocr-train-infer/1.0").json()
    assert read["text"] == TEXT and set(read["modes"]) == {"training", "inference"}
    assert api.get(URL).json()["profiles"][0]["latest"] == "1.0"


def test_json_is_the_same_language(api: Client) -> None:
    need = {"type": "cpu", "capabilities": [{"name": "cores", "amount": 1}]}
    body = json.dumps({"name": "j", "version": "1.10", "resources": [need]}, indent="\t")
    assert api.post(URL, body, content_type="application/json").json()["version"] == "1.10"


def test_faults_come_with_line_path_and_suggestion(api: Client) -> None:
    answer = api.post(URL, TEXT.replace("amount: 50", "amuont: 50"), content_type=YAML)
    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
    fault = answer.json()["facts"]["errors"][0]
    assert (fault["code"], fault["suggestion"]) == ("unknown_key", "did you mean amount?")
    assert fault["line"] == TEXT[: TEXT.index("amount: 50")].count("\n") + 1


@pytest.mark.parametrize("body", ["", "\x00", "[", "x: " + "[" * 100, "a" * 300_000])
def test_any_text_is_answered_with_a_problem(api: Client, body: str) -> None:
    answer = api.post(URL, body, content_type=YAML)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_document")


def test_an_unknown_version_is_not_found_and_a_stranger_is_refused(api: Client) -> None:
    assert api.get(f"{URL}/nothing/1.0").json()["code"] == "unknown_profile"
    assert Client().get(URL).status_code == 401


def test_changing_a_published_version_is_a_conflict(api: Client) -> None:
    api.post(URL, TEXT, content_type=YAML)
    api.post(f"{URL}/ocr-train-infer/1.0/publish")
    answer = api.post(URL, TEXT.replace("amount: 50", "amount: 60"), content_type=YAML)
    assert (answer.status_code, answer.json()["code"]) == (409, "version_exists")
