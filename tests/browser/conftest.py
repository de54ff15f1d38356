"""What do the browser tests share? One platform, one real Chromium, and the pictures they leave as artifacts."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, StorageState, sync_playwright

from tests.architecture.source import ROOT
from tests.story.house import House

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
PICTURES = ROOT / "artifacts" / "browser"


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A running platform."""
    built = House(tmp_path_factory.mktemp("house") / "data")
    built.start()
    yield built
    built.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield launched
        launched.close()


@dataclass  # no slots: the browser library hangs its own attributes on handlers
class Visit:
    """One tab of one reader, and everything its console complained about."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.url + path)

    def picture(self, name: str) -> None:
        """Keep how it looks now."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=Path(PICTURES, f"{name}.png"), full_page=True)

    def watch(self, said: ConsoleMessage) -> None:
        """Remember what the console calls an error, with the address it is about."""
        if said.type == "error":
            self.complaints.append(f"{said.text} {said.location.get('url', '')}")


@contextmanager
def visiting(browser: Browser, house: House, seat: StorageState | None = None) -> Iterator[Visit]:
    """A reader who speaks English, signed in when they bring a seat; the console must stay silent."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB", storage_state=seat)
    visit = Visit(context.new_page(), house.url)
    visit.page.on("console", visit.watch)
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    yield visit
    context.close()
    assert visit.complaints == []


@pytest.fixture
def visit(browser: Browser, house: House) -> Iterator[Visit]:
    """A stranger."""
    with visiting(browser, house) as opened:
        yield opened


@pytest.fixture(scope="session")
def seat(browser: Browser, house: House) -> StorageState:
    """The administrator's session, from signing in as a person does."""
    with visiting(browser, house) as opened:
        opened.go("/sign-in/")
        opened.page.fill("#id_username", "admin")
        opened.page.fill("#id_password", (house.data / "secrets" / "admin_password").read_text())
        opened.page.get_by_role("button", name="Sign in").click()
        opened.page.wait_for_url(opened.url + "/")
        return opened.page.context.storage_state()


@pytest.fixture
def admin(browser: Browser, house: House, seat: StorageState) -> Iterator[Visit]:
    """The administrator, already signed in."""
    with visiting(browser, house, seat) as opened:
        yield opened
