"""The REST door of jobs: shapes, statuses, problems, and what another tenant sees."""

from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from alldata.tenancy.models import Organisation, Project, Team
from alldata.tenancy.services.tokens import issue_token
from alldata.tenancy.viewer import Viewer
from tests.world import NOW, api_body

JSON = "application/json"


@pytest.fixture
def viewer(noon_viewer: Viewer) -> Viewer:
    return noon_viewer


def _client(viewer: Viewer, project_id: UUID | None = None) -> Client:
    project = project_id or viewer.default_project_id
    assert viewer.user_id is not None and project is not None
    token = issue_token(user_id=viewer.user_id, project_id=project, name="test", now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def api(viewer: Viewer) -> Client:
    return _client(viewer)


def _post(api: Client, **changes: Any) -> Any:
    return api.post("/api/v1/jobs", api_body(**changes), content_type=JSON)


def test_a_submission_is_accepted_and_readable(api: Client) -> None:
    answer = _post(api, budget="1.00")
    assert answer.status_code == 202
    assert answer.json()["budget"] == {"amount": "1.00", "currency": "CNY", "nano": "1000000000"}
    read = api.get(f"/api/v1/jobs/{answer.json()['reference']}")
    assert read.json()["state"] == "queued"


def test_an_idempotency_key_makes_one_job(api: Client) -> None:
    first, second = (
        api.post("/api/v1/jobs", api_body(), content_type=JSON, headers={"Idempotency-Key": "k"}) for _ in range(2)
    )
    assert first.json()["id"] == second.json()["id"]


def test_the_articles_names_are_accepted(api: Client) -> None:
    answer = _post(
        api,
        profile="ocr-train-infer@1.0",
        sla_deadline="2099-01-01T10:00:00",
        cost_budget={"amount": "120", "currency": "CNY"},
    )
    assert answer.json()["deadline_ms"] == 4_070_916_000_000
    assert answer.json()["budget"]["amount"] == "120.00"


def test_the_legacy_form_says_that_it_was_translated(api: Client) -> None:
    body = '{"image": "pytorch:1.12", "gpu": 2, "entry": {"command": ["python"]}}'
    answer = api.post("/api/v1/jobs", body, content_type=JSON)
    assert answer.json()["profile"] == "legacy-gpu@1.0"
    assert api.get(f"/api/v1/jobs/{answer.json()['id']}").json()["notices"] == ["legacy_gpu_translated"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"profile": "no-such@1.0"}, "unknown_profile"),
        ({"profile": "ocr-train-infer@7.7"}, "unknown_profile"),
        ({"deadline": "2001-01-01T00:00:00Z"}, "deadline_past"),
        ({"deadline": "soon"}, "bad_field"),
        ({"budget": "-5"}, "bad_budget"),
        ({"budget": "a lot"}, "bad_amount"),
        ({"budget": "1", "cost_budget": "2"}, "bad_budget"),
        ({"policy": "luck"}, "invalid"),
    ],
)
def test_bad_input_is_a_problem_with_a_stable_code(api: Client, changes: dict[str, Any], code: str) -> None:
    answer = _post(api, **changes)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_dry_run_answers_and_writes_nothing(api: Client) -> None:
    answer = api.post("/api/v1/jobs?dry_run=1", api_body(), content_type=JSON).json()
    assert answer["fits"] is True
    assert answer["placement"]["node"] == "worker-0"
    assert api.get("/api/v1/jobs").json()["jobs"] == []


def test_without_a_credential_nothing_is_said(viewer: Viewer) -> None:
    answer = Client().get("/api/v1/jobs")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")


def test_a_wrong_token_is_refused(viewer: Viewer) -> None:
    answer = Client(headers={"Authorization": "Bearer nonsense"}).get("/api/v1/jobs")
    assert (answer.status_code, answer.json()["code"]) == (401, "bad_credential")


def test_another_project_sees_a_missing_job(api: Client, viewer: Viewer) -> None:
    mine = _post(api).json()
    team = Team.objects.create(organisation=Organisation.objects.get(), slug="b", name="B")
    other = Project.objects.create(team=team, slug="b", name="B")
    stranger = _client(viewer, other.id)
    for path in ("", "/logs", "/cancel"):
        method = stranger.post if path == "/cancel" else stranger.get
        assert method(f"/api/v1/jobs/{mine['reference']}{path}").status_code == 404
    assert stranger.get("/api/v1/jobs").json()["jobs"] == []


def test_resources_are_listed_by_filter(api: Client) -> None:
    found = api.get("/api/v1/resources?filter=type:cpu").json()["resources"]
    assert [device["uuid"] for device in found] == ["worker-0/numa0/cpu"]
    one = api.get("/api/v1/resources/worker-0/numa0/cpu/capabilities").json()
    assert one["capabilities"][0]["free"] == 2000


def test_an_unknown_filter_names_the_known_ones(api: Client) -> None:
    answer = api.get("/api/v1/resources?filter=colour:red")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_filter")


def test_pages_of_jobs_follow_a_cursor(api: Client) -> None:
    for _ in range(3):
        _post(api)
    first = api.get("/api/v1/jobs?limit=2").json()
    rest = api.get(f"/api/v1/jobs?limit=2&after={first['next']}").json()
    assert [job["number"] for job in first["jobs"] + rest["jobs"]] == [3, 2, 1]
    assert rest["next"] is None
