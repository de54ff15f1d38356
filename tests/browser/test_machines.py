"""Does a machine appear in the portal as it is? An agent run on a recorded tree, seen through a real browser."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.architecture.source import ROOT
from tests.browser.conftest import Visit
from tests.pure import eight_gpus
from tests.story.house import House, clean_environment, eventually


@pytest.fixture(scope="module")
def recorded(house: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A second agent that plays the eight-card server until the module is over."""
    folder = tmp_path_factory.mktemp("recorded")
    tree = eight_gpus.build(folder / "tree")
    options = {
        "--name": "dgx", "--server": house.url, "--key-file": house.data / "secrets" / "agent_key",
        "--runs-dir": folder / "runs", "--spool": folder / "spool", "--root": tree,
    }  # fmt: skip
    words = [str(word) for pair in options.items() for word in pair]
    with (folder / "agent.log").open("wb") as log:
        agent = subprocess.Popen(
            [sys.executable, "-m", "alldata.agent", "run", *words],
            cwd=ROOT, stdout=log, stderr=log, env=clean_environment(),
        )  # fmt: skip
    with house.client() as client:
        eventually(lambda: _there(client.resources()["resources"]), "the recorded machine registers")
    yield "dgx"
    agent.terminate()
    agent.wait(20)


def _there(resources: list[dict[str, object]]) -> bool | None:
    return True if sum(r["node"] == "dgx" and r["type"] == "gpu" for r in resources) == 8 else None


def test_the_recorded_machine_is_drawn_as_it_is(admin: Visit, recorded: str) -> None:
    page = admin.page
    admin.go(f"/fleet/nodes/{recorded}/")
    expect(page.get_by_text("SIMULATED").first).to_be_visible()
    expect(page.locator(".topo a.gpu")).to_have_count(8)
    expect(page.locator(".topo .wire.nvlink")).to_have_count(28)
    expect(page.locator(".topo .port")).to_have_count(4)
    admin.picture("node-eight-cards")


def test_a_card_is_chosen_in_the_drawing_and_opened(admin: Visit, recorded: str) -> None:
    page = admin.page
    admin.go(f"/fleet/nodes/{recorded}/")
    page.locator(".topo a.gpu").nth(5).click()
    expect(page.locator("#selected h2")).to_have_text("gpu5")
    page.locator("#selected").get_by_role("link", name="Open").click()
    expect(page).to_have_url(f"{admin.url}/fleet/devices/{eight_gpus.uuid(5)}/")
    expect(page.get_by_text("HBM bandwidth").first).to_be_visible()


def test_cards_stand_under_the_socket_they_are_on(admin: Visit, recorded: str) -> None:
    admin.go(f"/fleet/nodes/{recorded}/?view=table")
    second = admin.page.get_by_role("region", name="NUMA 1")
    expect(second.get_by_role("link", name="gpu7")).to_be_visible()
    expect(second.get_by_role("link", name="gpu3")).to_have_count(0)


@pytest.mark.parametrize("path", ["/fleet/nodes/", "/fleet/nodes/dgx/", "/fleet/nodes/dgx/?view=table"])
def test_a_phone_shows_the_machine_as_a_tree(admin: Visit, recorded: str, path: str) -> None:
    admin.page.set_viewport_size({"width": 360, "height": 780})
    admin.go(path)
    admin.picture(f"phone-machine{path.replace('/', '-').replace('?', '-')}")
    assert admin.page.evaluate("document.documentElement.scrollWidth") <= 360
