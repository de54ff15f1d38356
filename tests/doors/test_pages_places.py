"""The pages of places: why here, what is held, when it would start, and which budget refuses."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.viewer import Viewer
from costing.services.budgets import BudgetCommand, set_budget
from scheduling.executors.fake import FakeExecutor
from scheduling.selectors.holds import RELEASED, USED, hold_view, holds_of
from scheduling.services.commands import HOLD, Entry
from scheduling.services.placement import place_waiting
from scheduling.services.reserving import reserve_place
from tests.doors.test_pages import FRAGMENTS, PAGES, form, stranger_here
from tests.world import NOW, FlatRates, command, plugged, submitted

LANGUAGES = pytest.mark.parametrize(("language", "index"), [("en", 0), ("zh-hans", 1)])


@pytest.fixture
def reader(noon_viewer: Viewer) -> Client:
    client = Client()
    assert noon_viewer.user_id is not None
    client.force_login(User.objects.get(pk=noon_viewer.user_id))
    return client


def placed(viewer: Viewer, jobs: int = 1) -> None:
    for _ in range(jobs):
        submitted(viewer)
    place_waiting(prices=FlatRates(), now_ms=NOW)


def text_of(reader: Client, path: str, language: str) -> str:
    reader.cookies["language"] = language
    answer = reader.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


@LANGUAGES
def test_the_table_unfolds_on_demand(reader: Client, noon_viewer: Viewer, language: str, index: int) -> None:
    placed(noon_viewer)
    folded = text_of(reader, "/jobs/J-1/decision/", language)
    assert "/jobs/J-1/_/why" in folded and ("placed here", "放在这里")[index] not in folded
    for path in ("/jobs/J-1/decision/?why=1", "/jobs/J-1/_/why"):
        text = text_of(reader, path, language)
        assert ("placed here", "放在这里")[index] in text and "worker-0/numa0/cpu" in text
        assert ("it decides the same today", "今天的决定相同")[index] in text


@LANGUAGES
def test_a_job_that_waits_sees_what_stands_in_the_way(
    reader: Client, noon_viewer: Viewer, language: str, index: int
) -> None:
    placed(noon_viewer, jobs=3)
    text = text_of(reader, "/jobs/J-3/_/why", language)
    assert ("in use by other jobs", "被其他作业占用")[index] in text
    assert ("does not fit", "放不下")[index] in text


def test_strangers_see_no_table(reader: Client, noon_viewer: Viewer) -> None:
    assert reader.get("/jobs/J-1/_/why").status_code == 404


def held(viewer: Viewer, tmp_path: Path) -> None:
    """J-1 is a place held for a demand vector."""
    ports = plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)
    vector = {"resources": [{"type": "cpu", "capabilities": [{"name": "cores", "amount": 1}]}]}
    asked = command(kind=HOLD, entry=Entry(()), profile="", mode="", demand=vector)
    reserve_place(viewer, asked, hold_ms=60_000, ports=ports, now_ms=NOW)


@LANGUAGES
def test_a_held_place_says_until_when(
    reader: Client, noon_viewer: Viewer, tmp_path: Path, language: str, index: int
) -> None:
    held(noon_viewer, tmp_path)
    text = text_of(reader, "/jobs/J-1/", language)
    assert ("This place is held until", "这个位置预留到")[index] in text
    assert ("a demand vector", "一个需求向量")[index] in text
    assert ("Reservation", "预留")[index] in text_of(reader, "/jobs/", language)


def test_every_page_bears_a_held_place(reader: Client, noon_viewer: Viewer, tmp_path: Path) -> None:
    held(noon_viewer, tmp_path)
    for path in (*PAGES, *FRAGMENTS, "/jobs/new/?from=J-1", "/jobs/J-1/_/why"):
        assert reader.get(path).status_code == 200, path


@LANGUAGES
def test_the_pre_check_tells_a_later_start(reader: Client, noon_viewer: Viewer, language: str, index: int) -> None:
    placed(noon_viewer, jobs=2)
    reader.cookies["language"] = language
    text = reader.post("/jobs/new/_/precheck", form()).content.decode()
    assert ("Expected to start in", "预计")[index] in text and "worker-0" in text


@LANGUAGES
def test_a_spent_budget_is_named_in_place(reader: Client, noon_viewer: Viewer, language: str, index: int) -> None:
    assert noon_viewer.default_project_id is not None
    day = NOW // DAY_MS * DAY_MS
    limit = BudgetCommand("project", noon_viewer.default_project_id, 1, day, day + DAY_MS)
    set_budget(noon_viewer, limit, now_ms=NOW)
    reader.cookies["language"] = language
    for path, status in (("/jobs/new/_/precheck", 200), ("/jobs/new/", 422)):
        answer = reader.post(path, form())
        assert answer.status_code == status
        assert ("and this job may come to ¥0.00024", "而这个作业可能花到 ¥0.00024")[index] in answer.content.decode()


@pytest.fixture
def desk(tmp_path: Path) -> None:
    plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)


def held_by_form(reader: Client, **changes: str) -> str:
    """The reservation that the form carries after its button was pressed."""
    answer = reader.post("/jobs/new/", form(hold="1", **changes))
    assert answer.status_code == 200
    return str(answer.context["held"].id)


@pytest.mark.usefixtures("desk")
def test_the_form_holds_the_place_and_starts_there(reader: Client, noon_viewer: Viewer) -> None:
    reservation = held_by_form(reader, script="print(2)")
    assert [str(held.id) for held in holds_of(noon_viewer)] == [reservation]
    sent = reader.post("/jobs/new/", form(reservation=reservation, request_id="second"))
    assert sent.status_code == 302 and sent["Location"] == "/jobs/J-1/"
    assert hold_view(noon_viewer, reservation).state == USED


@pytest.mark.usefixtures("desk")
@LANGUAGES
def test_a_held_place_keeps_what_was_typed(reader: Client, noon_viewer: Viewer, language: str, index: int) -> None:
    reader.cookies["language"] = language
    text = reader.post("/jobs/new/", form(hold="1", script="print(2)")).content.decode()
    assert "print(2)" in text and ("Held for you until", "为你预留到")[index] in text


@pytest.mark.usefixtures("desk")
def test_holding_twice_by_one_form_holds_once(reader: Client, noon_viewer: Viewer) -> None:
    assert held_by_form(reader) == held_by_form(reader)
    assert len(holds_of(noon_viewer)) == 1


@pytest.mark.usefixtures("desk")
@LANGUAGES
def test_where_nothing_is_free_nothing_is_held(reader: Client, noon_viewer: Viewer, language: str, index: int) -> None:
    placed(noon_viewer, jobs=2)
    reader.cookies["language"] = language
    answer = reader.post("/jobs/new/", form(hold="1"))
    assert answer.status_code == 422 and holds_of(noon_viewer) == []
    assert ("so none can be held", "无法预留")[index] in answer.content.decode()


@pytest.mark.usefixtures("desk")
@LANGUAGES
def test_a_place_given_back_is_not_offered_again(
    reader: Client, noon_viewer: Viewer, language: str, index: int
) -> None:
    reservation = held_by_form(reader)
    assert f"/reservations/{reservation}/release/" in text_of(reader, "/jobs/J-1/", language)
    assert reader.post(f"/reservations/{reservation}/release/")["Location"] == "/jobs/J-1/"
    assert hold_view(noon_viewer, reservation).state == RELEASED
    text = text_of(reader, f"/jobs/new/?reservation={reservation}", language)
    assert ("The place is no longer held", "这个位置已不再预留")[index] in text
    assert reader.post("/jobs/new/", form(reservation=reservation)).status_code == 422


@pytest.mark.usefixtures("desk")
def test_strangers_hold_nothing_of_ours(reader: Client) -> None:
    stranger, reservation = stranger_here(), held_by_form(reader)
    assert stranger.post(f"/reservations/{reservation}/release/").status_code == 404
    assert "held" not in stranger.get(f"/jobs/new/?reservation={reservation}").context
