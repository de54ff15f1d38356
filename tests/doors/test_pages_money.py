"""The pages of money: levels, comparison, budgets, prices. What is shown adds up; nobody sees what is not theirs."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.kernel import clock
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.models import Membership, Organisation, Project, Team
from alldata.tenancy.viewer import Viewer
from costing.services.days import sum_due_days
from costing.services.ledger import book_hour
from tests.fleet import AGENT, HBM, HOUR, LATER, PRICES, attempt, gpu, holds, job, take, window
from tests.world import home

LEVEL = "/cost/acme-ai/"
PATHS = (
    LEVEL, f"{LEVEL}?by=capability&range=7d", f"{LEVEL}?by=bucket&idle=hide",
    f"{LEVEL}?by=device&charge=allocation",
    f"{LEVEL}?by=job&view=treemap", f"{LEVEL}?range=month", f"{LEVEL}?from=2026-11-01T00:00&to=2026-11-02T00:00",
    f"{LEVEL}vision/ocr/J-1/?part=hbm_bandwidth&show=intervals", "/prices/new/?kind=csv",
    f"{LEVEL}?by=day", f"{LEVEL}?by=job", f"{LEVEL}vision/", f"{LEVEL}vision/ocr/", f"{LEVEL}vision/ocr/J-1/",
    "/compare/", "/compare/?a=J-1&b=J-2", "/compare/?a=7d-1&b=7d", "/compare/?a=p@1.0&b=p@1.0", "/budgets/",
    "/prices/", "/prices/new/", "/models/",
)  # fmt: skip


class Then:
    """The clock an hour after the jobs."""

    def now_ms(self) -> int:
        return LATER


@pytest.fixture
def viewer() -> Viewer:
    """An administrator; two jobs held half a GPU each for an hour and used part of it."""
    clock.use(Then())
    viewer = home()
    device = gpu(prices=PRICES)
    assert viewer.default_project_id is not None
    for number in (1, 2):
        row = job(viewer.default_project_id, viewer.organisation_id, number)
        holds(attempt(row, device), device, HBM // 2, Interval(HOUR, HOUR + HOUR_MS))
    take(window(0, Interval(HOUR, HOUR + HOUR_MS), HBM // 3 * HOUR_MS))
    book_hour(AGENT, HOUR, now_ms=LATER)
    sum_due_days(now_ms=LATER + 600_000)
    return viewer


@pytest.fixture
def reader(viewer: Viewer) -> Client:
    client = Client()
    assert viewer.user_id is not None
    client.force_login(User.objects.get(pk=viewer.user_id))
    return client


def member(role: str, organisation: Organisation | None = None) -> Client:
    """Someone else, of this organisation or of another."""
    user = User.objects.create_user(f"a-{role}", password="correct horse battery staple")
    Membership.objects.create(user=user, organisation=organisation or Organisation.objects.get(), role=role)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(autouse=True)
def own_time() -> object:
    yield
    clock.use(clock.SystemClock())


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_page_of_money_opens_under_the_strict_policy(reader: Client, path: str, language: str) -> None:
    reader.cookies["language"] = language
    answer = reader.get(path)
    assert answer.status_code == 200
    assert "unsafe-inline" not in answer["Content-Security-Policy"]
    assert re.search(r"\sstyle=|<style|\son[a-z]+=\"|<script>", answer.content.decode()) is None


def nanos(text: str) -> list[int]:
    table = text[text.index('id="cost-table"') :]
    return [int(n) for n in re.findall(r'data-nano="(\d+)"', table[: table.index("</table>")])]


@pytest.mark.parametrize("charge", ["", "consumption", "allocation", "max"])
@pytest.mark.parametrize("by", ["team", "project", "job", "capability", "day", "bucket"])
def test_rows_add_up_to_the_total(reader: Client, by: str, charge: str) -> None:
    *rows, total = nanos(reader.get(f"{LEVEL}?by={by}&charge={charge}").content.decode())
    assert sum(rows) == total > 0


def test_what_is_written_adds_up_too(reader: Client) -> None:
    text = reader.get(f"{LEVEL}?by=job").content.decode()
    table = text[text.index('id="cost-table"') : text.index("</table>")]
    shown = [float(amount) for amount in re.findall(r"¥([\d.]+)</b>", table)]
    assert round(sum(shown), 9) == float(re.findall(r"<tfoot>.*?¥([\d.]+)", table)[0])


def test_levels_lead_deeper_and_keep_what_was_asked(reader: Client) -> None:
    text = reader.get(f"{LEVEL}?range=90d").content.decode()
    assert re.search(r'href="/cost/acme-ai/[^"/]+/\?by=team&amp;range=90d"', text)


@pytest.mark.parametrize("path", ["/cost/other/", f"{LEVEL}nobody/", f"{LEVEL}vision/ocr/J-99/", f"{LEVEL}a/b/c/d/e/"])
def test_what_is_not_there_is_not_found(reader: Client, path: str) -> None:
    assert reader.get(path).status_code == 404


def test_another_organisation_sees_nothing(viewer: Viewer) -> None:
    other = Organisation.objects.create(name="Other", slug="other", currency="CNY", timezone="UTC")
    Project.objects.create(team=Team.objects.create(organisation=other, name="T", slug="t"), name="P", slug="p")
    stranger = member("finance", other)
    assert stranger.get(LEVEL).status_code == 404
    assert "There is no such job" in stranger.get("/compare/?a=J-1&b=J-2").content.decode()


def test_two_jobs_are_compared_by_capability(reader: Client) -> None:
    text = reader.get("/compare/?a=J-1&b=J-2").content.decode()
    assert "HBM bandwidth" in text
    assert "data-a=" in text


def test_unlike_things_are_not_subtracted(reader: Client) -> None:
    assert "Only like is subtracted from like" in reader.get("/compare/?a=J-1&b=7d").content.decode()


@pytest.mark.parametrize("text", ["2026-13-01..2026-14-01", "2026-02-02..2026-02-01", "J-77", "nonsense"])
def test_a_side_that_means_nothing_is_said_at_its_field(reader: Client, text: str) -> None:
    answer = reader.get("/compare/", {"a": text})
    assert 'aria-describedby="e-a"' in answer.content.decode()


def test_a_budget_is_set_and_shown(reader: Client, viewer: Viewer) -> None:
    scope = f"project:{viewer.default_project_id}"
    assert reader.post("/budgets/", {"scope": scope, "limit": "40"}).status_code == 302
    text = reader.get("/budgets/").content.decode()
    assert "¥40.00" in text and "Forecast to the end" in text


@pytest.mark.parametrize(("scope", "limit"), [("team:x", "1"), ("", "1"), ("own", "lots"), ("own", "-1")])
def test_a_bad_budget_is_refused_in_place(reader: Client, viewer: Viewer, scope: str, limit: str) -> None:
    scope = f"project:{viewer.default_project_id}" if scope == "own" else scope
    assert reader.post("/budgets/", {"scope": scope, "limit": limit}).status_code == 422


@pytest.mark.parametrize("path", ["/prices/", "/prices/new/"])
def test_prices_are_for_those_who_answer_for_money(viewer: Viewer, path: str) -> None:
    assert member("member").get(path).status_code == 403
    assert member("finance").get(path).status_code == 200


def test_only_finance_finds_prices_in_the_navigation(viewer: Viewer) -> None:
    assert 'href="/prices/"' not in member("member").get("/").content.decode()
    assert 'href="/prices/"' in member("finance").get("/").content.decode()


def test_new_prices_are_previewed_before_they_are_published(reader: Client) -> None:
    text = PRICES.replace("12.5", "25")
    shown = reader.post("/prices/new/", {"text": text, "act": "preview"}).content.decode()
    assert "+100.0" in shown and "Publish" in shown
    assert reader.post("/prices/new/", {"text": text, "act": "publish"})["Location"] == "/prices/"
    assert "law r2" in reader.get("/prices/").content.decode()


def test_a_bad_price_list_is_refused_in_place(reader: Client) -> None:
    answer = reader.post("/prices/new/", {"text": "lines: 3", "act": "preview"})
    assert answer.status_code == 422
    assert "lines" in answer.content.decode()


def test_a_cloud_list_is_previewed_too(reader: Client) -> None:
    rows = "instance,gpu_model,gpus,vcpus,memory_gib,storage_gib,hourly,currency\nx,A100,1,8,64,100,30,CNY\n"
    asked = {"kind": "csv", "name": "cloud", "currency": "CNY", "text": rows, "act": "preview"}
    assert "An hour of each device" in reader.post("/prices/new/", asked).content.decode()
    fault = reader.post("/prices/new/", {**asked, "text": rows.replace(",8,", ",eight,")})
    assert fault.status_code == 422 and "line 2" in fault.content.decode()


def test_intervals_of_a_part_sum_to_the_part(reader: Client) -> None:
    text = reader.get(f"{LEVEL}vision/ocr/J-1/?part=hbm_bandwidth&show=intervals").content.decode()
    part = re.search(r'c-hbm_bandwidth".*?data-nano="(\d+)"', text)
    used = re.findall(r'data-used="(\d+)"', text)
    assert part is not None and used and sum(map(int, used)) == int(part[1]) > 0


def test_tiles_of_the_treemap_lead_deeper(reader: Client) -> None:
    text = reader.get(f"{LEVEL}?by=team&view=treemap").content.decode()
    tile = re.search(r'<svg class="treemap".*?<a href="(/cost/acme-ai/[^"]+)"', text)
    assert tile is not None and reader.get(tile[1].replace("&amp;", "&")).status_code == 200


def test_a_span_that_means_nothing_says_so(reader: Client) -> None:
    assert "The end is before the start." in reader.get(f"{LEVEL}?from=2026-11-02&to=2026-11-01").content.decode()


def test_a_version_shows_how_a_rate_divides(reader: Client) -> None:
    link = re.search(r'href="(/prices/[0-9a-f-]{36}/)"', reader.get("/prices/").content.decode())
    assert link is not None
    assert "60.0" in reader.get(link[1]).content.decode()
