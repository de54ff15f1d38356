"""The console's profile pages: drafts are written and published there, faults shown with their line."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from profiles.models import HardwareKnowledge, HardwareOverride, ProfileVersion

ADD = "/console/profiles/profileversion/add/"
LIST = "/console/profiles/profileversion/"
TEXT = "name: small\nversion: '1.0'\nresources: [{type: cpu, capabilities: [{name: cores, amount: 1}]}]\n"


@pytest.fixture
def console() -> Client:
    """A platform administrator's browser."""
    home = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    client = Client()
    client.force_login(User.objects.get(pk=home.user_id))
    return client


def test_a_draft_is_written_and_published(console: Client) -> None:
    assert console.post(ADD, {"text": TEXT}).status_code == 302
    row = ProfileVersion.objects.get()
    console.post(LIST, {"action": "publish_drafts", "_selected_action": [str(row.pk)]})
    row.refresh_from_db()
    assert row.status == "published"
    assert b'name="_save"' not in console.get(f"{LIST}{row.pk}/change/").content


def test_faults_are_shown_with_their_line(console: Client) -> None:
    answer = console.post(ADD, {"text": TEXT.replace("cores", "coress")})
    assert answer.status_code == 200 and "3:" in answer.content.decode()
    assert "did you mean cores?" in answer.content.decode()


def test_the_list_and_the_hardware_pages_open(console: Client) -> None:
    hardware = ("hardwaremodel", "hardwareoverride", "hardwareknowledge")
    pages = (LIST, ADD, *(f"/console/profiles/{name}/" for name in hardware))
    assert [console.get(page).status_code for page in pages] == [200] * 5


def test_hardware_is_added_and_withdrawn_with_faults_shown(console: Client) -> None:
    fact = "{value: 150, quality: published, source: vendor page}"
    text = f"checked: 2026-12-01\nparts: [{{type: gpu, vendor: nvidia, model: b300, facts: {{sm_count: {fact}}}}}]\n"
    add, rows = "/console/profiles/hardwareknowledge/add/", "/console/profiles/hardwareknowledge/"
    assert "did you mean sm_count?" in console.post(add, {"text": text.replace("sm_", "sn_")}).content.decode()
    assert console.post(add, {"text": text, "note": "new"}).status_code == 302
    row = HardwareKnowledge.objects.get()
    console.post(rows, {"action": "withdraw", "_selected_action": [str(row.pk)]})
    row.refresh_from_db()
    assert (row.version, row.note, row.withdrawn_ms is not None) == (1, "new", True)


def test_an_override_is_given_and_ended(console: Client) -> None:
    text = "hardware_knowledge_base: {override: [{vendor: amd, model: epyc-9654, memory_bandwidth_gbps: 420}]}"
    assert console.post("/console/profiles/hardwareknowledge/add/", {"text": text}).status_code == 302
    row = HardwareOverride.objects.get()
    console.post("/console/profiles/hardwareoverride/", {"action": "end", "_selected_action": [str(row.pk)]})
    row.refresh_from_db()
    assert (row.value, row.ended_ms is not None) == ("420 GB/s", True)
