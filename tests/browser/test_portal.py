"""Can a person do it all in a real browser? Sign in, submit, watch it finish, see what it cost."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.story.house import House, eventually

JOB_LIMIT_MS = 90_000


def test_a_stranger_is_asked_to_sign_in(visit: Visit) -> None:
    visit.go("/")
    expect(visit.page).to_have_url(f"{visit.url}/sign-in/?next=/")
    visit.picture("sign-in")


def test_from_the_form_to_the_bill(admin: Visit, house: House) -> None:
    with house.client() as client:
        eventually(lambda: client.resources()["resources"] or None, "the agent registers")
    page = admin.page
    admin.go("/jobs/new/")
    admin.picture("new-job")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("ocr")
    admin.picture("job-just-submitted")
    expect(page.locator("#live .badge").first).to_contain_text("Succeeded", ignore_case=True, timeout=JOB_LIMIT_MS)
    admin.picture("job-finished")
    reference = page.url.rstrip("/").rsplit("/", 1)[1]
    admin.go(f"/cost/jobs/{reference}/")
    expect(page.get_by_role("heading", level=1)).to_contain_text(reference)
    expect(page.get_by_role("table").first).to_be_visible()
    admin.picture("cost")


ROOMS = (
    "/", "/jobs/", "/fleet/heatmap/", "/fleet/nodes/", "/cost/", "/cost/acme-ai/", "/budgets/", "/prices/",
    "/compare/", "/profiles/", "/pipelines/",
)  # fmt: skip


@pytest.mark.parametrize("path", ROOMS)
def test_every_room_opens_in_both_languages(admin: Visit, path: str) -> None:
    admin.go(path)
    room = path.strip("/").replace("/", "-") or "home"
    expect(admin.page.get_by_role("main")).to_be_visible()
    admin.picture(f"{room}-en")
    admin.page.get_by_role("button", name="中文").click()
    expect(admin.page.locator("html")).to_have_attribute("lang", "zh-CN")
    admin.picture(f"{room}-zh")


def test_the_console_is_open_to_a_platform_admin(admin: Visit) -> None:
    admin.go("/console/")
    expect(admin.page.get_by_text("Profiles").first).to_be_visible()
    admin.picture("console")
