"""The doors of money: breakdown, CSV, comparison, prices, FOCUS, budgets, units and advice."""

import json
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from alldata.kernel import clock
from alldata.kernel.intervals import DAY_MS, HOUR_MS, Interval
from alldata.tenancy.models import AuditEntry, Membership
from alldata.tenancy.services.tokens import issue_token
from alldata.tenancy.viewer import Viewer
from costing.models import PriceVersion
from costing.services.days import sum_due_days
from costing.services.ledger import book_hour
from scheduling.models import Attempt, Device, Job
from tests.fleet import AGENT, HBM, HOUR, LATER, PRICES, attempt, gpu, holds, job, take, window
from tests.world import home

SPAN: dict[str, str | int] = {"start_timestamp": HOUR, "end_timestamp": HOUR + HOUR_MS}
DEARER = PRICES.replace("12.5", "25")
LIST = "instance,gpu_model,gpus,vcpus,memory_gib,storage_gib,hourly,currency\n"


@pytest.fixture
def viewer() -> Viewer:
    return home()


def client_of(viewer: Viewer, user_id: int) -> Client:
    assert viewer.default_project_id is not None
    token = issue_token(user_id=user_id, project_id=viewer.default_project_id, name="t", now_ms=clock.now_ms())
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def api(viewer: Viewer) -> Client:
    assert viewer.user_id is not None
    return client_of(viewer, viewer.user_id)


@pytest.fixture
def work(viewer: Viewer) -> Job:
    """A job called like a formula that held a GPU for an hour and used a quarter of it."""
    device = gpu()
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id)
    Job.objects.update(name="=cmd()")
    holds(attempt(row, device), device, HBM, Interval(HOUR, HOUR + HOUR_MS))
    Attempt.objects.update(progress={"epoch": 3, "step": 30})
    take(window(0, Interval(HOUR, HOUR + HOUR_MS), HBM * HOUR_MS // 4))
    book_hour(AGENT, HOUR, now_ms=LATER)
    sum_due_days(now_ms=LATER + DAY_MS)
    return row


def get(api: Client, path: str, **query: str | int) -> Any:
    answer = api.get(f"/api/v1/cost/{path}", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def post(api: Client, path: str, **body: object) -> Any:
    return api.post(f"/api/v1/cost/{path}", json.dumps(body), content_type="application/json")


def test_a_breakdown_says_what_it_added_up(api: Client, work: Job) -> None:
    found = get(api, "breakdown", by="job", **SPAN)
    assert [row["key"] for row in found["rows"]] == [str(work.id)]
    assert found["total"]["charged"]["nano"] == found["rows"][0]["charged"]["nano"]
    assert (found["price_versions"], found["state"]) == (["law r1"], "provisional")


def test_the_csv_has_the_same_rows_and_runs_nothing(api: Client, work: Job) -> None:
    answer = api.get("/api/v1/cost/breakdown", SPAN | {"by": "job", "as": "csv", "bom": "1"})
    text = answer.content.decode()
    shown = get(api, "breakdown", by="job", **SPAN)["rows"][0]
    assert text.startswith("\ufeffkey,label,charged,")
    assert shown["charged"]["amount"] in text and shown["label"].startswith("J-1 =")
    assert "\r\n=" not in text and ",=" not in text


@pytest.mark.parametrize("query", [{"by": "moon"}, {"by": "hour"}, {"project": "x"}, {"start_timestamp": 2**52}])
def test_a_bad_question_is_refused(api: Client, query: dict[str, str | int]) -> None:
    assert api.get("/api/v1/cost/breakdown", query).status_code == 422


def test_two_sides_of_a_comparison(api: Client, work: Job) -> None:
    side = SPAN | {"by": "capability", "job": "J-1"}
    query = {f"{name}.{key}": value for name in "ab" for key, value in side.items()}
    found = get(api, "compare", **query)
    assert [row["change"]["nano"] for row in found["rows"]] == ["0"] * len(found["rows"])


def test_units_are_ratios_of_sums(api: Client, work: Job) -> None:
    units = {unit["unit"]: unit for unit in get(api, "jobs/J-1/units")["units"]}
    total = int(get(api, "jobs/J-1")["total"]["nano"])
    assert (units["epoch"]["cost"]["nano"], units["epoch"]["count"]) == (str(total // 3), 3)
    assert units["step"]["hbm_gb"] == f"{HBM * 3600 / 4 / 10**9 / 30:.6f}"


def test_advice_is_codes_with_figures(api: Client, work: Job) -> None:
    hints = {hint["code"]: hint for hint in get(api, "jobs/J-1/advice")["hints"]}
    assert hints["bottleneck"]["facts"]["capability"] == "hbm_bandwidth"
    low, high = (int(money["nano"]) for money in hints["holds_more_than_it_uses"]["saving"])
    assert 0 < low < high


def test_metrics_name_every_held_capability_even_when_unseen(api: Client, viewer: Viewer, work: Job) -> None:
    holds(Attempt.objects.get(), Device.objects.get(), 1, Interval(HOUR, HOUR + HOUR_MS), "gpu_sm")
    found = api.get("/api/v1/jobs/J-1/metrics").json()
    series = {one["capability"]: one for one in found["series"]}
    assert (series["gpu_sm"]["quality"], series["gpu_sm"]["points"]) == ("missing", [])
    assert series["hbm_bandwidth"]["points"] == [[HOUR, HOUR + HOUR_MS, HBM / 4]]
    assert (series["hbm_bandwidth"]["scope"], found["coverage"]) == ("device", 1.0)


def test_a_profile_version_has_a_price_per_job(api: Client, work: Job) -> None:
    found = get(api, "profiles/p@1.0")
    assert found["jobs"] == 1 and found["total"] == found["per_job"]


def test_the_focus_file_is_streamed_as_csv(api: Client, work: Job) -> None:
    answer = api.get("/api/v1/cost/focus", SPAN)
    lines = answer.getvalue().decode().splitlines()
    assert lines[0].split(",")[0] == "AllocatedMethodDetails" and len(lines) > 2
    assert api.get("/api/v1/cost/focus", {"start_timestamp": 0}).status_code == 422


def test_a_preview_writes_nothing_and_publishing_does(api: Client, work: Job) -> None:
    found = post(api, "prices/preview", yaml=DEARER).json()
    assert found["kinds"][0]["new_hourly"]["amount"] == "25.00"
    assert PriceVersion.objects.count() == 1
    answer = post(api, "prices", yaml=DEARER)
    assert (answer.status_code, answer.json()["version"]) == (201, "law r2")
    assert AuditEntry.objects.filter(action="prices.publish").count() == 1
    assert get(api, "prices")["versions"][0]["version"] == "law r2"


def test_a_cloud_list_needs_a_known_rate(api: Client, work: Job) -> None:
    body = {"csv": LIST + "p4d,A100,8,96,1152,8000,32.77,USD\n", "name": "cloud", "currency": "CNY"}
    assert post(api, "prices/preview", **body).json()["code"] == "bad_price_book"
    rate = {"base": "USD", "quote": "CNY", "rate": "7.1", "as_of_timestamp": 1}
    assert post(api, "exchange-rates", **rate).status_code == 201
    assert post(api, "exchange-rates", **rate).status_code == 422
    assert post(api, "prices", **body).json() == {"version": "cloud r1"}
    assert PriceVersion.objects.get(book__name="cloud").facts["exchange"] == [["USD", "CNY", 1, 7_100_000_000]]


def test_only_finance_touches_prices_and_invoices(viewer: Viewer, work: Job) -> None:
    user = get_user_model().objects.create_user("mo")
    Membership.objects.create(user=user, organisation_id=viewer.organisation_id, role="member")
    member = client_of(viewer, user.pk)
    invoice = {"number": "1", "start_timestamp": HOUR, "end_timestamp": HOUR + HOUR_MS}
    answers = [post(member, "prices", yaml=DEARER), post(member, "invoices", **invoice)]
    assert [(a.status_code, a.json()["code"]) for a in answers] == [(403, "finance_only")] * 2
    assert {row["key"] for row in get(member, "breakdown", by="bucket", **SPAN)["rows"]} == {"used", "allocated_idle"}


def test_an_open_hour_is_not_invoiced(api: Client, work: Job) -> None:
    body = {"number": "1", "start_timestamp": HOUR, "end_timestamp": HOUR + HOUR_MS}
    assert post(api, "invoices", **body).json()["code"] == "not_closed_yet"


def test_a_budget_is_set_and_shown(api: Client, viewer: Viewer, work: Job) -> None:
    start = clock.now_ms() // DAY_MS * DAY_MS
    body = {"scope": "project", "scope_id": str(viewer.default_project_id), "limit": "100"}
    assert post(api, "budgets", **body, start_timestamp=start, end_timestamp=start + DAY_MS).status_code == 201
    (found,) = get(api, "budgets")["budgets"]
    assert (found["limit"]["amount"], found["scope"], found["state"]) == ("100.00", "project", "ok")


def test_the_books_export_their_health_and_no_amounts(api: Client, work: Job) -> None:
    text = api.get("/metrics/cost").content.decode()
    assert f'crater_ledger_watermark_timestamp_seconds{{node="{AGENT}"}}' in text
    assert "crater_ledger_imbalance_nanounits 0.0" in text and "crater_price_missing{" not in text
    assert Client().get("/metrics/cost").status_code == 401


def test_intervals_sum_to_what_the_job_was_charged(api: Client, work: Job) -> None:
    found = get(api, "jobs/J-1/intervals", capability="hbm_bandwidth")
    parts = get(api, "jobs/J-1")["parts"]
    charged = next(p["cost"]["nano"] for p in parts if p["capability"] == "hbm_bandwidth")
    assert sum(int(i["used_nano"]) for i in found["intervals"]) == int(charged) > 0
    assert {i["quality"] for i in found["intervals"]} == {"measured"}


@pytest.mark.parametrize("asked", [{}, {"capability": "gold"}, SPAN | {"capability": "gpu_sm", "end_timestamp": 0}])
def test_a_bad_question_for_intervals_names_the_field(api: Client, work: Job, asked: dict[str, str | int]) -> None:
    assert api.get("/api/v1/cost/jobs/J-1/intervals", asked).status_code == 422
