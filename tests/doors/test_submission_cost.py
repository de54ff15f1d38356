"""How many statements does a submission cost? The database does most of the waiting, and others wait for its locks."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.services.tokens import issue_token
from alldata.tenancy.viewer import Viewer
from costing.services.budgets import BudgetCommand, set_budget
from tests.world import NOW, api_body

#: Who asks and with which roles; begin; the fact; the budgets' lock with all sums; number and job; audit; commit.
STATEMENTS = 7


@pytest.fixture
def api(noon_viewer: Viewer) -> Client:
    project = noon_viewer.default_project_id
    assert noon_viewer.user_id is not None and project is not None
    token = issue_token(user_id=noon_viewer.user_id, project_id=project, name="test", now_ms=NOW)
    day = NOW // DAY_MS * DAY_MS
    for scope, scope_id in (("organisation", noon_viewer.organisation_id), ("project", project)):
        set_budget(noon_viewer, BudgetCommand(scope, scope_id, 10**15, day, day + DAY_MS), now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"})


def submit(api: Client) -> int:
    body = api_body(sla_deadline="2099-01-01T10:00:00", cost_budget="1")
    return api.post("/api/v1/jobs", body, content_type="application/json").status_code


def test_a_submission_costs_seven_statements_with_budgets_in_force(api: Client) -> None:
    for _ in range(2):
        assert submit(api) == 202  # the process has met the profile, the code and the cluster
    with CaptureQueriesContext(connection) as seen:
        assert submit(api) == 202
    assert len(seen) <= STATEMENTS, [query["sql"][:120] for query in seen.captured_queries]
