"""One window, one number (D5): what the agent sent is what the exporter, the heatmap, the job and the ledger say."""

import re
from base64 import b64decode
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from alldata.kernel import clock
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.services.tokens import issue_token
from alldata.tenancy.viewer import Viewer
from costing.services.ledger import book_hour
from monitoring.heatmap import ABSENT
from scheduling.models import Device, Node
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.world import home

USED = 1_500_000_000_000  # of HBM, bytes/s, all the hour long
AT_MS = HOUR + HOUR_MS + 1_000


class Now:
    """A second after the hour."""

    def now_ms(self) -> int:
        return AT_MS


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    """One job that held the card for an hour, in 720 windows of 5 s."""
    viewer = home()
    device = gpu()
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id)
    holds(attempt(row, device), device, HBM, Interval(HOUR, HOUR + HOUR_MS))
    spans = [Interval(at, at + 5_000) for at in range(HOUR, HOUR + HOUR_MS, 5_000)]
    take(*(window(k, span, USED * 5_000) for k, span in enumerate(spans)), now_ms=AT_MS)
    Node.objects.update(seen_ms=AT_MS)
    Device.objects.update(provenance={"hbm_bandwidth": {"source": "published", "quality": "measured"}})
    book_hour(AGENT, HOUR, now_ms=LATER)
    clock.use(Now())
    yield viewer
    clock.use(clock.SystemClock())


def api(viewer: Viewer) -> Client:
    assert viewer.user_id is not None and viewer.default_project_id is not None
    token = issue_token(user_id=viewer.user_id, project_id=viewer.default_project_id, name="t", now_ms=AT_MS)
    return Client(headers={"Authorization": f"Bearer {token}"})


def reader(viewer: Viewer) -> Client:
    client = Client()
    assert viewer.user_id is not None
    client.force_login(User.objects.get(pk=viewer.user_id))
    return client


def test_the_exporter_and_the_heatmap_say_the_same_share(viewer: Viewer) -> None:
    exported = Client(headers={"Authorization": f"Agent {settings.AGENT_KEY}"}).get("/metrics").content.decode()
    share = re.search(rf'crater_resource_capability_utilization{{[^}}]*device="{GPU}"[^}}]*}} ([\d.e+-]+)', exported)
    cells = reader(viewer).get("/fleet/heatmap/cells").json()
    assert share is not None and float(share[1]) == pytest.approx(USED / HBM)
    shown = [cell for cell in b64decode(cells["cells"]) if cell < ABSENT]
    assert shown == [pytest.approx(100 * USED / HBM, abs=0.5)]  # the colour is of a whole percent


def test_the_jobs_series_and_the_ledger_say_the_same_quantity(viewer: Viewer) -> None:
    client = api(viewer)
    (series,) = client.get("/api/v1/jobs/J-1/metrics").json()["series"]
    (part,) = client.get("/api/v1/cost/jobs/J-1").json()["parts"]
    assert {value for _start, _end, value in series["points"]} == {USED}
    assert int(part["used"]["q"]) == USED * HOUR_MS == sum(int(v) * (b - a) for a, b, v in series["points"])


def test_smoothing_states_itself_and_moves_no_money(viewer: Viewer) -> None:
    client = api(viewer)
    before = client.get("/api/v1/cost/jobs/J-1").json()["parts"]
    series = client.get("/api/v1/jobs/J-1/metrics", {"smooth": "1"}).json()["series"]
    assert {(s["shown"]["smoothing_samples"], s["shown"]["applied"]) for s in series} == {(10, True)}
    assert client.get("/api/v1/cost/jobs/J-1").json()["parts"] == before
