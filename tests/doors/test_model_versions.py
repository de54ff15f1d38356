"""Model versions: what each cost to make and to ask, beside how good it is; another tenant sees none."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.models import Organisation
from alldata.tenancy.viewer import Viewer
from costing.selectors.model_versions import model_versions
from costing.services.ledger import book_hour
from scheduling.models import Job, PipelineRun
from tests.fleet import AGENT, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.world import home

LOAD: dict[str, Any] = {"requests": 2100, "failures": 60, "wrong": 40, "p99_ms": 18.2, "accuracy": 0.97}


@pytest.fixture
def viewer() -> Viewer:
    """A training job and a server that shared a card for an hour, half each, all of it used."""
    viewer = home()
    device, jobs = gpu(), list[Job]()
    assert viewer.default_project_id is not None
    for number in (1, 2):
        jobs.append(job(viewer.default_project_id, viewer.organisation_id, number))
        holds(attempt(jobs[-1], device), device, HBM // 2, Interval(HOUR, HOUR + HOUR_MS))
    take(window(0, Interval(HOUR, HOUR + HOUR_MS), HBM // 2 * 2 * HOUR_MS))
    book_hour(AGENT, HOUR, now_ms=LATER)
    PipelineRun.objects.create(
        organisation_id=viewer.organisation_id, project_id=viewer.default_project_id, number=1, trigger=jobs[0],
        serve_job=jobs[1], step="done", plan={}, load=LOAD, verdict="pass", reasons=[], created_ms=HOUR,
        changed_ms=HOUR,
    )  # fmt: skip
    return viewer


def test_a_thousand_answers_cost_what_their_server_was_charged(viewer: Viewer) -> None:
    (found,) = model_versions(viewer)
    assert (found.answers, found.accuracy, found.testing_nano) == (2000, 0.97, 0)
    assert found.thousand is not None and found.thousand * 2 == found.serving_nano > 0
    assert found.thousand_hbm_gb == (HBM // 2 * 3600) // 10**9 / 2
    assert found.total_nano == found.training_nano + found.serving_nano


def test_what_was_not_measured_is_none(viewer: Viewer) -> None:
    PipelineRun.objects.update(load={}, verdict="", step="serve")
    (found,) = model_versions(viewer)
    assert (found.thousand, found.thousand_hbm_gb, found.accuracy) == (None, None, None)


def test_page_and_api_show_the_same_version(viewer: Viewer) -> None:
    client = Client()
    assert viewer.user_id is not None
    client.force_login(User.objects.get(pk=viewer.user_id))
    (one,) = client.get("/api/v1/cost/models").json()["models"]
    assert (one["pipeline"], one["verdict"], one["answers"]) == ("P-1", "pass", 2000)
    assert f'data-nano="{one["total"]["nano"]}"' in client.get("/models/").content.decode()


def test_another_tenant_sees_none(viewer: Viewer) -> None:
    PipelineRun.objects.update(project_id=Organisation.objects.create(slug="o", name="O").pk)
    assert model_versions(viewer) == []
