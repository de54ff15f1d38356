"""Whatever a body says, the answer is an answer or a typed problem: never a failure of ours."""

import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from alldata.tenancy.services.tokens import issue_token
from alldata.tenancy.viewer import Viewer
from scheduling.api.shapes import ScheduleShape
from tests.world import NOW

AWKWARD: st.SearchStrategy[Any] = st.sampled_from(
    [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e-320, 2**63, -(2**63), 10**400, -1, 0, "", "NaN",
     "1e999999999", "\0", "\ud800", "１２", "0001-01-01", "9999-12-31T23:59:59-23:59", True, None, [], {}]
)  # fmt: skip
LEAVES = AWKWARD | st.text(max_size=8) | st.integers() | st.floats()
ANY = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip
CAPABILITY = st.fixed_dictionaries(
    {"name": st.sampled_from(["cores", "memory_gib", "storage_iops", "sm_utilization", "nonsense"])},
    optional={"amount": ANY, "target": ANY, "max": ANY},
)
RESOURCE = st.fixed_dictionaries(
    {"type": st.sampled_from(["cpu", "memory", "storage", "gpu", "network", "link"])},
    optional={"count": ANY, "capabilities": st.lists(CAPABILITY, max_size=2) | ANY, "constraints": ANY},
)
DEMAND = st.fixed_dictionaries({}, optional={"resources": st.lists(RESOURCE, max_size=3) | ANY, "alignment": ANY})
KNOWN = dict.fromkeys(ScheduleShape().fields, ANY) | {
    "profile": st.sampled_from(["ocr-train-infer@1.0", "legacy-gpu"]) | ANY,
    "demand": DEMAND | ANY,
    "reserve": st.booleans(),
}
GOOD = {"profile": "ocr-train-infer@1.0", "mode": "training", "entry": {"command": ["true"]}}
BENT = st.tuples(st.sampled_from(sorted(KNOWN)), ANY).map(lambda pair: GOOD | {pair[0]: pair[1]})
BODIES = BENT | st.fixed_dictionaries({}, optional=KNOWN) | st.dictionaries(st.text(max_size=6), ANY, max_size=3) | ANY


@pytest.fixture
def api(noon_viewer: Viewer) -> Client:
    assert noon_viewer.user_id is not None and noon_viewer.default_project_id is not None
    token = issue_token(user_id=noon_viewer.user_id, project_id=noon_viewer.default_project_id, name="test", now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"}, raise_request_exception=False)


def told(answer: Any) -> None:
    """An answer, or a problem that says what and where."""
    if answer.status_code in (200, 201, 202):
        return
    problem = answer.json()
    assert 400 <= answer.status_code < 500, problem
    assert problem["code"] and problem["detail"], problem
    if answer.status_code == 422:
        assert problem.get("field") or problem.get("errors") or problem.get("facts") or problem["code"] == "bad_amount"


LIMITS = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LIMITS
@given(BODIES)
@example({"deadline": "0001-01-01"})
@example({"budget": "1e999999999", "profile": "ocr-train-infer@1.0"})
@example({"demand": {"resources": [{"type": "cpu", "count": 10**12}]}})
@example({"profile": "ocr-train-infer@1.0", "entry": {"command": ["x"], "env": {"A\0": "\ud800"}}})
def test_a_body_never_breaks_the_door(api: Client, body: Any) -> None:
    text = json.dumps(body, ensure_ascii=True)
    told(api.post("/api/v1/schedule", text, content_type="application/json"))
    if isinstance(body, dict):
        told(api.post("/api/v1/jobs", text, content_type="application/json"))


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"priority": NaN}', "priority"),
        ('{"demand": {"resources": [{"count": 1e999}]}}', "demand.resources[0].count"),
        ('{"name": "a\\u0000b"}', "name"),
        ('{"name": "\\ud800"}', "name"),
        ("[" * 100_000, "body"),
        ("{", "body"),
        (b"\xff\xfe", "body"),
    ],
)
def test_a_fault_names_its_place(api: Client, text: Any, field: str) -> None:
    answer = api.post("/api/v1/schedule", text, content_type="application/json")
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (422, "bad_field", field)


def test_an_unknown_key_is_named_with_its_neighbour(api: Client) -> None:
    answer = api.post("/api/v1/schedule", {"polcy": "fifo"}, content_type="application/json").json()
    assert answer["detail"] == "polcy: unknown key; did you mean policy?"


def test_empty_needs_are_refused(api: Client) -> None:
    nothing: tuple[dict[str, Any], ...] = ({}, {"resources": []})
    for demand in nothing:
        answer = api.post("/api/v1/schedule", json.dumps({"demand": demand}), content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_demand")
