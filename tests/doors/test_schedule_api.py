"""The door that answers where a job would go, and holds the place when asked."""

import json
from typing import Any

import pytest
from django.test import Client

from alldata.cli.remote import answer_lines
from alldata.tenancy.models import Organisation, Project, Team
from alldata.tenancy.services.tokens import issue_token
from alldata.tenancy.viewer import Viewer
from scheduling.models import Allocation, Hold, Job
from scheduling.services.expiring import expire_holds
from scheduling.services.release import release_due
from tests.world import NOW, api_body, reserved_cores

JSON = "application/json"
ASK = {"profile": "ocr-train-infer@1.0", "mode": "training"}
VECTOR = {"demand": {"resources": [{"type": "cpu", "capabilities": [{"name": "cores", "amount": 2}]}]}}


@pytest.fixture
def viewer(noon_viewer: Viewer) -> Viewer:
    return noon_viewer


def client(viewer: Viewer, project: Any = None) -> Client:
    assert viewer.user_id is not None and viewer.default_project_id is not None
    project_id = project or viewer.default_project_id
    token = issue_token(user_id=viewer.user_id, project_id=project_id, name="test", now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def api(viewer: Viewer) -> Client:
    return client(viewer)


def ask(api: Client, body: Any, key: str | None = None) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return api.post("/api/v1/schedule", json.dumps(body), content_type=JSON, headers=headers)


def test_an_answer_names_everything(api: Client) -> None:
    answer = ask(api, ASK).json()
    place, forecast = answer["place"], answer["forecast"]
    assert (place["node"], place["numa_nodes"], place["memory_pools"]) == ("worker-0", [0], ["worker-0/numa0/memory"])
    assert place["nvme"] == [{"device": "worker-0/storage/nvme0n1", "path": "/dev/nvme0n1"}]
    cores = next(a for a in place["amounts"] if a["dimension"] == "cpu_millicores")
    assert (cores["amount"], cores["unit"], cores["shown"], cores["share"]) == (1000, "millicores", "1 cores", 0.5)
    assert forecast["duration_ms"] == {"p50": 120_000, "p90": 480_000}
    assert forecast["finish_ms"] == {"p50": NOW + 120_000, "p90": NOW + 480_000}
    assert forecast["cost"]["p50"]["nano"] == "60000" and forecast["cost"]["p90"]["nano"] == "240000"
    assert sum(term["weight"] for term in answer["score"]) == pytest.approx(1)


def test_same_inventory_and_request_same_answer(api: Client) -> None:
    first, second = (ask(api, ASK | {"policy": "cost_min"}).content for _ in range(2))
    assert first == second
    assert Job.objects.count() == 0


def test_a_demand_vector_needs_no_profile(api: Client) -> None:
    answer = ask(api, VECTOR).json()
    assert [a["amount"] for a in answer["place"]["amounts"]] == [2000]


def test_a_reservation_holds_the_place_by_the_same_laws(api: Client) -> None:
    held = ask(api, ASK | {"reserve": True, "hold_ms": 5_000})
    assert held.status_code == 201
    reservation = held.json()["reservation"]
    assert (reservation["state"], reservation["expires_ms"]) == ("held", NOW + 5_000)
    assert reserved_cores() == 1000
    assert Allocation.objects.filter(attempt__job__hold__id=reservation["id"]).count() == 3
    job = api.get(f"/api/v1/jobs/{reservation['job']}").json()
    assert (job["state"], job["kind"], job["reason"]) == ("admitted", "hold", "reserved")


def test_a_repeated_request_is_the_same_reservation(api: Client) -> None:
    one, two = (ask(api, ASK | {"reserve": True}, key="k").json()["reservation"]["id"] for _ in range(2))
    assert one == two and reserved_cores() == 1000
    assert ask(api, VECTOR | {"reserve": True}, key="k").json()["code"] == "request_reused"


def test_a_job_starts_on_exactly_that_place(api: Client) -> None:
    held = ask(api, ASK | {"reserve": True}).json()["reservation"]
    body = json.loads(api_body(reservation=held["id"], name="on it"))
    answers = [
        api.post("/api/v1/jobs", json.dumps(body), content_type=JSON, headers={"Idempotency-Key": "j"}).json()
        for _ in range(2)
    ]
    assert {(a["reference"], a["name"], a["kind"], a["state"]) for a in answers} == {
        (held["job"], "on it", "train", "admitted")
    }
    assert reserved_cores() == 1000
    assert api.get(f"/api/v1/reservations/{held['id']}").json()["state"] == "used"
    again = api.post("/api/v1/jobs", json.dumps(body | {"name": "x"}), content_type=JSON)
    assert (again.status_code, again.json()["code"]) == (409, "reservation_over")


def test_a_place_is_used_for_what_it_was_reserved(api: Client) -> None:
    held = ask(api, ASK | {"reserve": True}).json()["reservation"]
    for wrong in ({"profile": "load-generator@1.0"}, {"mode": "inference"}):
        answer = api.post("/api/v1/jobs", api_body(reservation=held["id"], **wrong), content_type=JSON)
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_field")


def test_a_released_place_is_free_at_once(api: Client) -> None:
    held = ask(api, VECTOR | {"reserve": True}).json()["reservation"]
    for _ in range(2):
        assert api.delete(f"/api/v1/reservations/{held['id']}").json()["state"] == "released"
    assert reserved_cores() == 0
    assert api.get("/api/v1/reservations").json() == {"reservations": []}


def test_what_is_not_used_in_time_is_taken_back(api: Client) -> None:
    held = ask(api, VECTOR | {"reserve": True, "hold_ms": 1_000}).json()["reservation"]
    assert expire_holds(now_ms=NOW + 999) == 0
    assert (expire_holds(now_ms=NOW + 1_000), expire_holds(now_ms=NOW + 1_000)) == (1, 0)
    release_due(now_ms=NOW + 1_000)
    assert reserved_cores() == 0
    assert api.get(f"/api/v1/reservations/{held['id']}").json()["state"] == "expired"
    late = api.post("/api/v1/jobs", api_body(reservation=held["id"], profile=""), content_type=JSON)
    assert late.json()["code"] in ("reservation_over", "invalid")


def test_nothing_is_reserved_where_nothing_is_free(api: Client) -> None:
    ask(api, VECTOR | {"reserve": True})
    refused = ask(api, VECTOR | {"reserve": True})
    problem = refused.json()
    assert (refused.status_code, problem["code"], Hold.objects.count()) == (409, "no_place", 1)
    refusal = problem["answer"]["refusal"]
    assert refusal["nearest"]["rule"] == "free" and refusal["possible"] is True
    assert problem["answer"]["forecast"]["starts_in_ms"] == {"p50": 60_000, "p90": 60_000}


def test_another_tenant_learns_nothing(api: Client, viewer: Viewer) -> None:
    held = ask(api, VECTOR | {"reserve": True}).json()["reservation"]
    team = Team.objects.create(organisation=Organisation.objects.get(), slug="b", name="B")
    stranger = client(viewer, Project.objects.create(team=team, slug="b", name="B").id)
    address = f"/api/v1/reservations/{held['id']}"
    missing = stranger.get(f"/api/v1/reservations/{viewer.organisation_id}").json()
    for answer in (stranger.get(address), stranger.delete(address)):
        assert answer.status_code == 404
        assert {**answer.json(), "detail": ""} == {**missing, "detail": ""}
    use = stranger.post("/api/v1/jobs", api_body(reservation=held["id"]), content_type=JSON)
    assert (use.status_code, use.json()["code"]) == (404, "reservation_not_found")
    assert stranger.get("/api/v1/reservations").json() == {"reservations": []}


def test_a_refusal_suspects_the_unit(api: Client) -> None:
    iops = {"type": "storage", "capabilities": [{"name": "storage_iops", "amount": 20_000_000}]}
    answer = ask(api, {"demand": {"resources": [iops]}}).json()
    (slip,) = answer["unit_slips"]
    assert (slip["ratio"], slip["factor"]) == (200.0, 1000)
    assert slip["hint"].startswith("unit? ") and "unit_slip" in answer["warnings"]
    assert answer["refusal"]["relaxations"][0]["to"] == 100_000


def test_a_value_that_no_hardware_has_is_refused_with_its_place(api: Client) -> None:
    memory = {"type": "memory", "capabilities": [{"name": "memory_bandwidth_gbps", "amount": 384_000}]}
    problem = ask(api, {"demand": {"resources": [memory]}}).json()
    assert (problem["status"], problem["code"], problem["field"]) == (422, "bad_demand", "demand")
    (error,) = problem["facts"]["errors"]
    assert error["code"] == "unit_slip" and error["path"].startswith("resources[0]")


def test_the_whole_table_of_a_decision(api: Client) -> None:
    held = ask(api, ASK | {"reserve": True}).json()["reservation"]
    table = api.get(f"/api/v1/jobs/{held['job']}/decisions/0").json()
    assert (table["outcome"], table["node"], table["reproduced"]) == ("placed", "worker-0", True)
    assert {row["device"] for row in table["rows"] if row["chosen"]} == {
        "worker-0/numa0/cpu", "worker-0/numa0/memory", "worker-0/storage/nvme0n1",
    }  # fmt: skip
    cells = [cell for row in table["rows"] for cell in row["cells"] if cell["dimension"] == "cpu_millicores"]
    assert [(c["rule"], c["need"], c["have"], c["ok"]) for c in cells] == [("free", 1000, 2000, True)]
    assert api.get(f"/api/v1/jobs/{held['job']}/decisions/7").json()["code"] == "decision_not_found"
    assert len(api.get(f"/api/v1/jobs/{held['job']}/decisions").json()["decisions"]) == 1


def test_the_command_line_says_it_in_a_few_lines(api: Client) -> None:
    assert answer_lines(ask(api, ASK).json())[0] == "fits now on worker-0"
    iops = {"type": "storage", "capabilities": [{"name": "storage_iops", "amount": 20_000_000}]}
    lines = answer_lines(ask(api, {"demand": {"resources": [iops]}}).json())
    assert lines[0] == "can never fit here" and "warning: unit_slip" in lines
    assert any("storage_iops 100000 instead of 20000000" in line for line in lines)
