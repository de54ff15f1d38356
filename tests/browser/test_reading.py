"""What a person relies on while a job runs: live parts that do not jump, exact money, keyboard, phone, both themes."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.story.house import House, eventually

ENDED_MS = 90_000
# Counts how far things moved by themselves, as the browser itself measures it.
WATCH_SHIFTS = """
window.shifted = 0;
const add = list => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifted += e.value; };
new PerformanceObserver(add).observe({type: 'layout-shift', buffered: true});
"""


@pytest.fixture(scope="module")
def supplied(house: House) -> House:
    """The platform once its machine is known."""
    with house.client() as client:
        eventually(lambda: client.resources()["resources"] or None, "the agent registers")
    return house


@pytest.fixture
def job(admin: Visit, supplied: House) -> str:
    """The latest job; the first test to ask submits the example with the keyboard alone."""
    with supplied.client() as client:
        jobs = [job for job in client.jobs()["jobs"] if job["kind"] == "train"]
    return str(jobs[0]["reference"]) if jobs else _submit(admin)


def _submit(admin: Visit) -> str:
    admin.go("/")
    admin.page.keyboard.press("c")
    admin.page.wait_for_url("**/jobs/new/")
    expect(admin.page.get_by_role("heading", name="Fits now")).to_be_visible()
    admin.page.keyboard.press("Control+Enter")
    admin.page.wait_for_url("**/jobs/J-*/")
    return admin.page.url.rstrip("/").rpartition("/")[2]


@pytest.fixture
def ended(admin: Visit, job: str) -> str:
    """The job once it has succeeded."""
    admin.go(f"/jobs/{job}/")
    expect(admin.page.locator("#live .badge").first).to_contain_text("Succeeded", timeout=ENDED_MS)
    return job


def test_a_running_job_is_followed_without_a_jump(admin: Visit, job: str) -> None:
    page = admin.page
    page.add_init_script(WATCH_SHIFTS)
    admin.go(f"/jobs/{job}/")
    expect(page.locator("#live .badge").first).to_contain_text("Succeeded", timeout=ENDED_MS)
    expect(page.locator("#log")).to_contain_text("accuracy")
    assert page.locator("#live").get_attribute("hx-get") is None
    assert page.evaluate("window.shifted") < 0.1


def test_the_parts_of_the_cost_add_up_on_the_page(admin: Visit, job: str) -> None:
    page = admin.page
    admin.go(f"/jobs/{job}/")
    page.get_by_role("link", name="Open drilldown").click()
    expect(page.locator("#cost-table tfoot")).to_contain_text("Total")
    nanos = page.locator("#cost-table td[data-nano]").evaluate_all("cells => cells.map(c => Number(c.dataset.nano))")
    assert sum(nanos[:-1]) == nanos[-1] > 0


def test_a_drawing_of_money_is_saved_as_a_picture(admin: Visit, ended: str, tmp_path: Path) -> None:
    admin.go(f"/cost/jobs/{ended}/")
    with admin.page.expect_download() as download:
        admin.page.locator("#hours [data-png]").click()
    assert download.value.suggested_filename.endswith(".png")
    download.value.save_as(tmp_path / "drawing.png")
    body = (tmp_path / "drawing.png").read_bytes()
    assert body[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(body[16:20]) > 800
    assert len(body) > 8_000  # bars, hatches and letters: an empty sheet of this size packs into less


def test_the_treemap_is_one_click_from_the_bar(admin: Visit, ended: str) -> None:
    admin.go("/cost/acme-ai/?by=job")
    admin.page.get_by_role("link", name="Treemap").click()
    expect(admin.page.locator("svg.treemap a").first).to_be_visible()
    admin.picture("treemap")


def test_intervals_open_from_the_part_they_explain(admin: Visit, ended: str) -> None:
    admin.go(f"/cost/jobs/{ended}/?part=cpu_millicores")
    admin.page.get_by_role("link", name="Show intervals").click()
    expect(admin.page.locator("#intervals tbody tr")).not_to_have_count(0)
    cells = admin.page.locator("#intervals td[data-used]")
    used = cells.evaluate_all("cells => cells.map(c => Number(c.dataset.used))")
    part = admin.page.locator("#cost-table tr.c-cpu_millicores td[data-nano]").get_attribute("data-nano")
    assert sum(used) == int(part or 0) > 0
    admin.picture("intervals")


def test_the_pipeline_is_judged_with_no_hand_in_between(admin: Visit, job: str) -> None:
    admin.go("/pipelines/")
    admin.page.get_by_role("link", name="P-1").click()
    expect(admin.page.locator("#run .verdict")).to_be_visible(timeout=ENDED_MS)
    admin.picture("pipeline")
    expect(admin.page.locator("#run")).to_contain_text("P99")
    admin.go("/models/")
    row = admin.page.locator("#models tbody tr").first
    expect(row).to_contain_text("P-1")
    assert int(row.locator("td[data-nano]").get_attribute("data-nano") or 0) > 0


def test_the_heatmap_is_drawn_from_live_data(admin: Visit, supplied: House) -> None:
    admin.go("/fleet/heatmap/")
    expect(admin.page.locator("#heat-plot[data-drawn]")).to_be_visible()
    expect(admin.page.locator("#heat-plot .heatmaplayer image")).to_have_count(1)
    admin.picture("heatmap")


def test_the_theme_switch_needs_no_reload_and_is_remembered(admin: Visit, job: str) -> None:
    admin.go("/")
    admin.page.get_by_role("button", name="Switch between light and dark").click()
    expect(admin.page.locator("html")).to_have_attribute("data-theme", "dark")
    admin.go(f"/jobs/{job}/")
    expect(admin.page.locator("html")).to_have_attribute("data-theme", "dark")
    admin.picture("job-dark")


def test_single_letters_go_where_they_say(admin: Visit) -> None:
    admin.go("/")
    for keys, place in (("gj", "/jobs/"), ("gn", "/fleet/nodes/"), ("gc", "/cost/"), ("gr", "/profiles/")):
        admin.page.keyboard.type(keys)
        admin.page.wait_for_url(admin.url + place)


def test_letters_typed_into_a_field_stay_there(admin: Visit) -> None:
    admin.go("/jobs/new/")
    admin.page.fill("#f-name", "")
    admin.page.type("#f-name", "cgjobs?")
    assert admin.page.url.endswith("/jobs/new/")
    expect(admin.page.locator("#f-name")).to_have_value("cgjobs?")


def test_a_bad_deadline_is_named_where_it_stands(admin: Visit) -> None:
    admin.go("/jobs/new/")
    admin.page.fill("#f-deadline", "2020-01-01T10:00")
    expect(admin.page.locator("#precheck")).to_contain_text("The deadline has passed")


def test_a_job_is_stopped_after_a_question(admin: Visit, supplied: House) -> None:
    page = admin.page
    admin.go("/jobs/new/")
    page.fill("#f-script", "import time\ntime.sleep(600)\n")
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("link", name="Stop job…").click()
    page.get_by_role("button", name="Stop job").click()
    expect(page.locator("#live .badge").first).to_contain_text("Cancelled", timeout=ENDED_MS)


NARROW = (
    "/", "/jobs/", "/jobs/new/", "/jobs/{job}/", "/cost/jobs/{job}/", "/pipelines/", "/cost/acme-ai/",
    "/compare/?a={job}&b={job}", "/budgets/", "/prices/",
)  # fmt: skip


@pytest.mark.parametrize("path", NARROW)
def test_a_phone_needs_no_sideways_scroll(admin: Visit, job: str, path: str) -> None:
    admin.page.set_viewport_size({"width": 360, "height": 780})
    admin.go(path.format(job=job))
    admin.picture("phone" + path.format(job="job").partition("?")[0].replace("/", "-").rstrip("-"))
    assert admin.page.evaluate("document.documentElement.scrollWidth") <= 360
