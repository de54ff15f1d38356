"""The pages: who may see them, in which language, under which policy, and what a form answers."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.tenancy.models import Membership, Organisation, Project, Team
from alldata.tenancy.viewer import Viewer
from tests.world import submitted

PAGES = (
    "/", "/jobs/", "/jobs/new/", "/jobs/J-1/", "/jobs/J-1/events/", "/jobs/J-1/decision/", "/jobs/J-1/metrics/",
    "/jobs/J-1/files/", "/pipelines/", "/fleet/heatmap/", "/fleet/heatmap/?view=table", "/fleet/nodes/",
    "/fleet/nodes/worker-0/", "/cost/", "/cost/jobs/J-1/", "/profiles/", "/profiles/ocr-train-infer/1.0/", "/_/ui/",
)  # fmt: skip
FRAGMENTS = ("/_/home/running", "/jobs/_/rows", "/jobs/J-1/_/live", "/jobs/J-1/_/timeline", "/fleet/heatmap/_/table")


@pytest.fixture
def viewer(noon_viewer: Viewer) -> Viewer:
    submitted(noon_viewer)
    return noon_viewer


@pytest.fixture
def reader(viewer: Viewer) -> Client:
    client = Client()
    assert viewer.user_id is not None
    client.force_login(User.objects.get(pk=viewer.user_id))
    return client


@pytest.fixture
def stranger(viewer: Viewer) -> Client:
    return stranger_here()


def stranger_here() -> Client:
    """A member of another organisation on the same platform."""
    user = User.objects.create_user("stranger", password="correct horse battery staple")
    other = Organisation.objects.create(name="Other", slug="other", currency="CNY", timezone="UTC")
    team = Team.objects.create(organisation=other, name="T", slug="t")
    Project.objects.create(team=team, name="P", slug="p")
    Membership.objects.create(user=user, organisation=other, role="member")
    client = Client()
    client.force_login(user)
    return client


def form(**changes: str) -> dict[str, str]:
    """What the browser sends for the example."""
    fields = {
        "name": "digits", "profile": "ocr-train-infer@1.0", "mode": "training", "command": "python train.py",
        "script_name": "train.py", "script": "print(1)", "outputs": "", "deadline": "", "deadline_policy": "soft",
        "budget": "1.00", "then": "on", "request_id": "one-form",
    }  # fmt: skip
    return fields | changes


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_page_answers_in_both_languages(reader: Client, path: str, language: str) -> None:
    reader.cookies["language"] = language
    answer = reader.get(path)
    assert answer.status_code == 200
    assert f'<html lang="{"zh-CN" if language == "zh-hans" else "en"}"' in answer.content.decode()


@pytest.mark.parametrize("path", PAGES)
def test_pages_keep_the_strict_policy_and_need_no_inline_style(reader: Client, path: str) -> None:
    answer = reader.get(path)
    policy, text = answer["Content-Security-Policy"], answer.content.decode()
    assert "script-src 'self';" in policy
    assert ("unsafe-inline" in policy) is path.startswith("/fleet/heatmap/")
    assert re.search(r"\sstyle=|<style|\son[a-z]+=\"|<script>", text) is None


@pytest.mark.parametrize("path", FRAGMENTS)
def test_fragments_are_parts_and_never_stored(reader: Client, path: str) -> None:
    answer = reader.get(path, headers={"HX-Request": "true"})
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    assert "<html" not in answer.content.decode()


@pytest.mark.parametrize("path", [p for p in PAGES if "J-1" in p or "ocr" in p] + ["/jobs/J-1/_/live"])
def test_another_tenants_things_do_not_exist(stranger: Client, path: str) -> None:
    assert stranger.get(path).status_code == 404


def test_another_tenants_list_is_empty(stranger: Client) -> None:
    assert "J-1" not in stranger.get("/jobs/").content.decode()


@pytest.mark.parametrize("path", PAGES)
def test_signed_out_people_are_sent_to_the_door(path: str, viewer: Viewer) -> None:
    answer = Client().get(path)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/?next=")


def test_a_fragment_takes_the_whole_page_to_the_door(viewer: Viewer) -> None:
    answer = Client().get("/jobs/J-1/_/live", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Redirect"]) == (204, "/sign-in/")


def test_nothing_new_is_not_drawn_again(reader: Client) -> None:
    text = reader.get("/jobs/J-1/").content.decode()
    asked = re.search(r'hx-get="(/jobs/J-1/_/live[^"]*)"', text)
    assert asked is not None
    assert reader.get(asked.group(1).replace("&amp;", "&")).status_code == 204


def test_a_form_becomes_a_job_once(reader: Client) -> None:
    first, second = (reader.post("/jobs/new/", form()) for _ in range(2))
    assert first.status_code == 302
    assert first["Location"] == second["Location"] == "/jobs/J-2/"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"deadline": "2001-01-01T10:00"}, "deadline"),
        ({"budget": "-1"}, "budget"),
        ({"budget": "much"}, "budget"),
        ({"profile": "ocr-train@9.9"}, "profile"),
        ({"mode": "dreaming"}, "mode"),
        ({"command": ""}, "command"),
        ({"command": "python 'x"}, "command"),
        ({"outputs": "../secrets"}, "script_name"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(reader: Client, changes: dict[str, str], field: str) -> None:
    answer = reader.post("/jobs/new/", form(**changes))
    assert answer.status_code == 422
    assert f'href="#f-{field}"' in answer.content.decode()
    assert 'value="digits"' in answer.content.decode()


def test_the_pre_check_says_what_would_happen(reader: Client) -> None:
    text = reader.post("/jobs/new/_/precheck", form()).content.decode()
    assert "Fits now" in text
    assert "worker-0" in text


def test_the_pre_check_objects_like_the_submission(reader: Client) -> None:
    text = reader.post("/jobs/new/_/precheck", form(deadline="2001-01-01T10:00")).content.decode()
    assert "The deadline has passed" in text


def test_a_job_is_stopped_from_its_page(reader: Client) -> None:
    assert reader.post("/jobs/J-1/stop/").status_code == 302
    assert "Cancelled" in reader.get("/jobs/J-1/").content.decode()


def test_a_stranger_cannot_stop_it(stranger: Client) -> None:
    assert stranger.post("/jobs/J-1/stop/").status_code == 404


def test_the_language_is_chosen_before_sign_in(viewer: Viewer) -> None:
    client = Client()
    client.post("/language/", {"language": "zh-hans", "next": "/sign-in/"})
    assert "登录" in client.get("/sign-in/").content.decode()


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_settings_never_lead_to_another_host(target: str) -> None:
    answer: Any = Client().post("/theme/", {"theme": "dark", "next": target})
    assert (answer["Location"], answer.cookies["theme"].value) == ("/", "dark")


@pytest.mark.parametrize(
    ("text", "target"), [("j1", "/jobs/J-1/"), ("P-7", "/pipelines/P-7/"), ("work", "/fleet/nodes/worker-0/")]
)
def test_the_jump_field_finds_by_id_and_name(reader: Client, text: str, target: str) -> None:
    assert reader.get("/jump/", {"q": text})["Location"] == target


def test_unknown_addresses_have_a_calm_page(reader: Client) -> None:
    answer = reader.get("/no/such/page/")
    assert answer.status_code == 404
    assert "AllData" in answer.content.decode()
