"""The console's team page: a platform admin sets weights, and the audit says so."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.tenancy.models import AuditEntry, Membership, Team
from alldata.tenancy.services.bootstrap import bootstrap_tenancy


@pytest.fixture
def console() -> Client:
    home = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    client = Client()
    client.force_login(User.objects.get(pk=home.user_id))
    return client


def address() -> str:
    return f"/console/tenancy/team/{Team.objects.get().pk}/change/"


def test_a_weight_is_set_and_written_down(console: Client) -> None:
    assert console.get(address()).status_code == 200
    assert console.post(address(), {"weight": "3"}).status_code == 302
    assert Team.objects.get().weight == 3
    assert AuditEntry.objects.get(action="team.weight").facts == {"was": 1, "weight": 3}


@pytest.mark.parametrize("weight", ["0", "-1", "1001", "two"])
def test_a_weight_out_of_range_is_refused(console: Client, weight: str) -> None:
    assert console.post(address(), {"weight": weight}).status_code == 200
    assert Team.objects.get().weight == 1


def test_who_is_no_platform_admin_may_not(console: Client) -> None:
    Membership.objects.filter(role="platform_admin").delete()
    console.post(address(), {"weight": "3"})
    assert Team.objects.get().weight == 1
