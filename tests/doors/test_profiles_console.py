"""The console's profile pages: drafts are written and published there, faults shown with their line."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from profiles.models import ProfileVersion

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
    pages = (LIST, ADD, "/console/profiles/hardwaremodel/", "/console/profiles/hardwareoverride/")
    assert [console.get(page).status_code for page in pages] == [200] * 4
