"""Cost and usage over REST: parts that sum, exact strings, and nothing of another tenant."""

from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.models import Membership, Organisation, Project, Team
from alldata.tenancy.services.tokens import issue_token
from alldata.tenancy.viewer import Viewer
from costing.services.books import ensure_price_book
from costing.services.ledger import book_hour
from monitoring.services.ingest import ingest_frame
from scheduling.executors.fake import FakeExecutor
from scheduling.models import Attempt
from scheduling.selectors.answers import JobRow
from scheduling.services.placement import place_waiting
from tests.world import NODE, NOW, FlatRates, home, machine, plugged, submitted

CPU, MEMORY = f"{NODE}/numa0/cpu", f"{NODE}/numa0/memory"


@pytest.fixture
def viewer(tmp_path: Path) -> Viewer:
    plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)
    machine()
    ensure_price_book(now_ms=NOW)
    return home()


@pytest.fixture
def api(viewer: Viewer) -> Client:
    assert viewer.user_id is not None and viewer.default_project_id is not None
    token = issue_token(user_id=viewer.user_id, project_id=viewer.default_project_id, name="t", now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def job(viewer: Viewer) -> JobRow:
    """A job that used a core and a gigabyte for two seconds."""
    row = submitted(viewer)
    place_waiting(prices=FlatRates(), now_ms=NOW)
    Attempt.objects.update(started_ms=NOW)
    key = str(Attempt.objects.get().id)
    cpu = {"cpu_millicores": Usage(1000 * 2000, "measured", "measured")}
    memory = {"memory_bytes": Usage(2**30 * 2000, "measured", "proxy")}
    devices = (DeviceUsage(CPU, cpu), DeviceUsage(MEMORY, memory))
    attempts = (AttemptUsage(key, CPU, cpu), AttemptUsage(key, MEMORY, memory))
    ingest_frame(Frame("e", 0, NOW, NOW + 2000, devices, attempts), agent=NODE, now_ms=NOW + 2000)
    book_hour(NODE, NOW // HOUR_MS * HOUR_MS, now_ms=NOW + 2000)
    return row


def test_the_parts_sum_to_the_total_to_the_last_digit(api: Client, job: JobRow) -> None:
    cost = api.get(f"/api/v1/cost/jobs/{job.reference}").json()
    nanos = [int(part["cost"]["nano"]) for part in cost["parts"]]
    assert [part["capability"] for part in cost["parts"]] == ["cpu_millicores", "memory_bytes"]
    assert sum(nanos) == int(cost["total"]["nano"]) > 0
    assert sum(part["share_permille"] for part in cost["parts"]) == 1000


def test_a_cost_says_what_it_rests_on(api: Client, job: JobRow) -> None:
    cost = api.get(f"/api/v1/cost/jobs/{job.id}").json()
    assert (cost["currency"], cost["state"], cost["final"]) == ("CNY", "provisional", False)
    assert (cost["price_versions"], cost["example_prices"], cost["coverage"]) == (["embedded r1"], True, 1.0)
    assert cost["parts"][0]["rate"] == {
        "hourly": {"amount": "0.2244381", "currency": "CNY", "nano": "224438100"},
        "unit": "cores",
    }


def test_a_job_that_never_ran_costs_nothing(api: Client, viewer: Viewer) -> None:
    cost = api.get(f"/api/v1/cost/jobs/{submitted(viewer).reference}").json()
    assert (cost["total"]["nano"], cost["parts"], cost["coverage"]) == ("0", [], None)


def test_the_summary_adds_the_same_entries(api: Client, job: JobRow) -> None:
    cost = api.get(f"/api/v1/cost/jobs/{job.reference}").json()
    span = {"start_timestamp": NOW, "end_timestamp": NOW + 1}
    project = api.get("/api/v1/cost", span).json()["projects"][0]
    assert (project["total"], project["jobs"]) == (cost["total"], 1)


def test_usage_has_windows_in_milliseconds(api: Client, job: JobRow) -> None:
    found = api.get(f"/api/v1/jobs/{job.reference}/metrics").json()
    series = {one["capability"]: one for one in found["series"]}
    assert found["sampling_interval_ms"] == 2000
    assert series["cpu_millicores"]["points"] == [[NOW, NOW + 2000, 1000.0]]
    assert (series["memory_bytes"]["unit"], series["memory_bytes"]["quality"]) == ("bytes", "proxy")


def test_usage_can_be_asked_for_a_part_of_the_time(api: Client, job: JobRow) -> None:
    span = {"start_timestamp": NOW + 2000, "end_timestamp": NOW + 4000}
    found = api.get(f"/api/v1/jobs/{job.reference}/metrics", span).json()
    assert (found["start_timestamp"], found["end_timestamp"]) == (NOW + 2000, NOW + 4000)
    assert {(series["quality"], *series["points"]) for series in found["series"]} == {("missing",)}


def test_a_window_nobody_saw_is_a_gap_and_no_quality_of_the_others(api: Client, job: JobRow) -> None:
    blind = {"cpu_millicores": Usage(None, "measured", "missing", reason="not_observed")}
    usage = (AttemptUsage(str(Attempt.objects.get().id), CPU, blind),)
    ingest_frame(Frame("e", 1, NOW + 2000, NOW + 4000, (), usage), agent=NODE, now_ms=NOW + 4000)
    found = api.get(f"/api/v1/jobs/{job.reference}/metrics", {"end_timestamp": NOW + 4000}).json()
    (series,) = (one for one in found["series"] if one["capability"] == "cpu_millicores")
    assert (series["quality"], series["covered_ms"], len(series["points"])) == ("measured", 2000, 1)


@pytest.mark.parametrize("span", [{"start_timestamp": "x"}, {"start_timestamp": 5, "end_timestamp": 5}])
def test_a_wrong_span_is_refused(api: Client, job: JobRow, span: dict[str, str | int]) -> None:
    assert api.get(f"/api/v1/jobs/{job.reference}/metrics", span).status_code == 422


@pytest.mark.parametrize("path", ["cost/jobs/{}", "jobs/{}/metrics"])
def test_another_tenants_job_does_not_exist(job: JobRow, path: str) -> None:
    other = Organisation.objects.create(slug="other", name="Other")
    team = Team.objects.create(organisation=other, slug="t", name="T")
    project = Project.objects.create(team=team, slug="p", name="P")
    answer = stranger(other, project).get("/api/v1/" + path.format(job.id))
    assert (answer.status_code, answer.json()["code"]) == (404, "job_not_found")


def stranger(organisation: Organisation, project: Project) -> Client:
    """A member of another organisation."""
    user = get_user_model().objects.create_user(username=str(uuid4()))
    Membership.objects.create(user=user, organisation=organisation, team=None, role="member")
    token = issue_token(user_id=user.pk, project_id=project.id, name="t", now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("path", ["cost", "cost/jobs/J-1", "jobs/J-1/metrics"])
def test_strangers_are_sent_away(path: str) -> None:
    assert Client().get(f"/api/v1/{path}").status_code in (401, 403)
