"""A request becomes one job, or a refusal that names the field and the way out."""

import pytest

from alldata.tenancy.errors import MayNot
from alldata.tenancy.models import AuditEntry
from alldata.tenancy.viewer import Viewer
from scheduling.errors import BadBudget, BadField, DeadlinePast, RequestReused, UnknownProfile
from scheduling.models import Job
from scheduling.services.commands import Entry, Sla
from tests.world import NOW, home, submitted


@pytest.fixture
def viewer() -> Viewer:
    return home()


def test_a_repeated_request_is_the_same_job(viewer: Viewer) -> None:
    first = submitted(viewer, request_id="once")
    again = submitted(viewer, request_id="once", now_ms=NOW + 10**9)
    assert again.id == first.id
    assert Job.objects.count() == 1


def test_a_reused_request_id_is_a_conflict(viewer: Viewer) -> None:
    submitted(viewer, request_id="once")
    with pytest.raises(RequestReused):
        submitted(viewer, request_id="once", name="other")


@pytest.mark.parametrize("profile", ["", "no-such", "ocr-train-infer@9.9"])
def test_an_unknown_profile_or_version_is_named(viewer: Viewer, profile: str) -> None:
    with pytest.raises(UnknownProfile):
        submitted(viewer, profile=profile)


def test_an_unknown_mode_lists_the_known_ones(viewer: Viewer) -> None:
    with pytest.raises(BadField, match="inference, training"):
        submitted(viewer, mode="dreaming")


def test_a_past_deadline_is_refused(viewer: Viewer) -> None:
    with pytest.raises(DeadlinePast, match="5 s in the past"):
        submitted(viewer, sla=Sla(deadline_ms=NOW - 5000))


@pytest.mark.parametrize("sla", [Sla(cap_nano=-1), Sla(cap_nano=1, currency="USD")])
def test_an_impossible_budget_is_refused(viewer: Viewer, sla: Sla) -> None:
    with pytest.raises(BadBudget):
        submitted(viewer, sla=sla)


@pytest.mark.parametrize("name", ["/etc/passwd", "../up", "a/../../b", ""])
def test_files_stay_below_the_working_directory(viewer: Viewer, name: str) -> None:
    with pytest.raises(BadField):
        submitted(viewer, entry=Entry(command=("true",), files=({"name": name, "text": ""},)))


def test_the_legacy_form_is_translated_and_says_so(viewer: Viewer) -> None:
    row = Job.objects.get(pk=submitted(viewer, profile="", mode="", legacy_gpu=2).id)
    assert row.notices == ["legacy_gpu_translated"]
    assert [n["count"] for n in row.demand["needs"] if n["type"] == "gpu"] == [2]


def test_a_looker_may_not_submit(viewer: Viewer) -> None:
    looker = Viewer(
        organisation_id=viewer.organisation_id,
        user_id=None,
        name="looker",
        project_ids=viewer.project_ids,
        roles=frozenset({"viewer"}),
        default_project_id=viewer.default_project_id,
    )
    with pytest.raises(MayNot):
        submitted(looker)


def test_a_submission_is_audited(viewer: Viewer) -> None:
    row = submitted(viewer)
    entry = AuditEntry.objects.get(action="job.submit")
    assert (entry.actor, entry.target) == ("admin", row.reference)
