"""A gang at the doors: answered, reserved, refused where it can never run, and shown with all its members."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.kernel import clock
from alldata.tenancy.services.tokens import issue_token
from profiles.services import ensure_published
from scheduling.executors.fake import Script
from scheduling.models import Attempt, Job
from scheduling.services.commands import Entry
from tests.gangs import GangStage, gang_of
from tests.world import NOW

PROFILE = """
name: pair
version: "1.0"
components:
  - {name: worker, count: 2, resources: [{type: cpu, capabilities: [{name: cores, amount: 3}]}]}
alignment: {spread: node}
"""
ENTRY = {"command": ["run", "3"]}
LANGUAGES = pytest.mark.parametrize(("language", "words"), [
    ("en", ["2 machines, all together", "Member"]),
    ("zh-hans", ["2 台机器，同时放置", "成员"]),
])  # fmt: skip


@pytest.fixture
def stage(tmp_path: Path) -> Any:
    made = GangStage(tmp_path)
    ensure_published(made.viewer, PROFILE, now_ms=NOW)
    clock.use(type("Stage", (), {"now_ms": lambda _self: made.now_ms})())
    yield made
    clock.use(clock.SystemClock())


@pytest.fixture
def api(stage: GangStage) -> Client:
    viewer = stage.viewer
    assert viewer.user_id is not None and viewer.default_project_id is not None
    token = issue_token(user_id=viewer.user_id, project_id=viewer.default_project_id, name="test", now_ms=NOW)
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def reader(stage: GangStage) -> Client:
    client = Client()
    assert stage.viewer.user_id is not None
    client.force_login(User.objects.get(pk=stage.viewer.user_id))
    return client


def post(api: Client, path: str, **body: Any) -> Any:
    return api.post(path, json.dumps(body), content_type="application/json")


def test_an_answer_names_every_member(api: Client) -> None:
    answer = post(api, "/api/v1/schedule", demand=gang_of(1, 3)).json()
    members = answer["place"]["members"]
    assert [(m["member"], m["component"], m["node"]) for m in members] == [(0, "part-0", "n0"), (1, "part-1", "n1")]
    assert [m["cpus"] for m in members] == [[0], [0, 1, 2]]
    assert answer["forecast"]["cost"]["p50"]["nano"] == "120000"  # four cores in all
    assert sum(term["weight"] for term in answer["score"]) == pytest.approx(1)
    assert answer == post(api, "/api/v1/schedule", demand=gang_of(1, 3)).json()


def test_a_refusal_names_the_worst_member(api: Client) -> None:
    refusal = post(api, "/api/v1/schedule", demand=gang_of(1, 5)).json()["refusal"]
    assert (refusal["member"], refusal["nearest"]["rule"], refusal["possible"]) == ("part-1", "capacity", False)
    assert refusal["relaxations"][0]["to"] == 4000


def test_a_place_for_a_gang_is_held_and_used(api: Client, stage: GangStage) -> None:
    held = post(api, "/api/v1/schedule", profile="pair@1.0", reserve=True)
    assert held.status_code == 201
    reservation = held.json()["reservation"]
    assert [member["node"] for member in reservation["place"]["members"]] == ["n0", "n1"]
    answer = post(api, "/api/v1/jobs", name="j", entry=ENTRY, reservation=reservation["id"])
    assert answer.status_code == 202
    stage.run(6)
    assert Job.objects.get().state == "succeeded" and Attempt.objects.count() == len(stage.specs) == 2


def test_without_room_for_all_nothing_is_held(api: Client, stage: GangStage) -> None:
    stage.submit(4, 4, runs_s=60)
    stage.run(1)
    answer = post(api, "/api/v1/schedule", profile="pair@1.0", reserve=True)
    assert (answer.status_code, answer.json()["code"]) == (409, "no_place")
    assert "2 members need a machine each, 1 would do now" in answer.json()["detail"]


def test_a_gang_that_can_never_have_its_machines_is_refused(api: Client, stage: GangStage) -> None:
    demand = gang_of(1, 1, 1, 1)
    assert post(api, "/api/v1/schedule", demand=demand).json()["warnings"] == ["impossible"]
    ensure_published(stage.viewer, PROFILE.replace("pair", "crowd").replace("count: 2", "count: 4"), now_ms=NOW)
    answer = post(api, "/api/v1/jobs", name="j", profile="crowd@1.0", mode="", entry=ENTRY)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_few_machines")
    assert "its members need 4 machines, each one of its own, there are 3 that would do" in answer.json()["detail"]
    assert not Job.objects.exists()


def shown(reader: Client, path: str, language: str) -> str:
    reader.cookies["language"] = language
    answer = reader.get(path)
    assert answer.status_code == 200, answer
    return answer.content.decode()


@LANGUAGES
def test_the_job_page_shows_all_members(reader: Client, stage: GangStage, language: str, words: list[str]) -> None:
    stage.submit(1, 3, runs_s=60)
    stage.run(3)
    text = shown(reader, "/jobs/J-1/", language)
    assert all(word in text for word in [*words, "part-0", "part-1", "/nodes/n0/", "/nodes/n1/", "?member=1"])
    for path in ("decision/?why=1&member=1", "events/", "metrics/", "files/", "_/live", "_/timeline"):
        shown(reader, f"/jobs/J-1/{path}", language)
    assert "n0, n1" in shown(reader, "/jobs/J-1/events/", language)


def test_each_member_has_a_log_of_its_own(reader: Client, api: Client, stage: GangStage) -> None:
    stage.scripts = {0: Script(duration_ms=60_000, log="first"), 1: Script(duration_ms=60_000, log="second")}
    stage.submit(1, 3)
    stage.run(3)
    told = [api.get(f"/api/v1/jobs/J-1/logs?member={member}").json()["text"] for member in (0, 1, 2)]
    assert told == ["first", "second", ""]
    assert "second" in shown(reader, "/jobs/J-1/?member=1", "en")


@pytest.mark.parametrize(
    ("language", "text"), [("en", "part-1: The program ended with exit code 3."), ("zh-hans", "part-1：")]
)
def test_the_page_names_the_member_that_failed(reader: Client, stage: GangStage, language: str, text: str) -> None:
    stage.scripts = {0: Script(duration_ms=None), 1: Script(exit_code=3)}
    stage.submit(1, 1, entry=Entry(command=("run", "1")))
    stage.run(5)
    assert text in shown(reader, "/jobs/J-1/", language)


def test_the_api_lists_the_members_of_each_try(api: Client, stage: GangStage) -> None:
    stage.submit(1, 3)
    stage.run(2)
    attempts = api.get("/api/v1/jobs/J-1").json()["attempts"]
    assert [(a["ordinal"], a["member"], a["members"], a["component"]) for a in attempts] == [
        (1, 0, 2, "part-0"), (1, 1, 2, "part-1"),
    ]  # fmt: skip
    rows = api.get("/api/v1/jobs/J-1/decisions/0?member=1").json()
    assert {row["member"] for row in rows["rows"]} == {1} and rows["nodes"] == ["n0", "n1"] and rows["reproduced"]
