"""Jobs that misbehave, through the same door as all others: each has a recorded end, and nothing stays behind."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from alldata.cli.client import Client, Json
from alldata.embedded.answers import found_devices
from alldata.embedded.attempts import ours
from tests.story.house import House, command_line, eventually

FLOOD = "import sys\nline = 'x' * 999 + '\\n'\nfor _ in range(200_000): sys.stdout.write(line)"
SCRIPTS = {
    "exits 3": (["python", "-c", "import sys; sys.exit(3)"], ("failed", "exit_nonzero")),
    "is killed": (["python", "-c", "import os; os.kill(os.getpid(), 9)"], ("failed", "killed_by_signal")),
    "never ends": (["sleep", "3600"], ("failed", "timeout")),
    "cannot start": (["no-such-program-anywhere"], ("failed", "spawn_failed")),
    "writes 200 MB": (["python", "-c", FLOOD], ("succeeded", "")),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Client]]:
    house = House(tmp_path_factory.mktemp("bad") / "data")
    house.start()
    with house.client() as client:
        eventually(lambda: found_devices(client.resources()), "the agent registers")
        yield house, client
    assert house.stop() == []


def _ended(client: Client, job: str) -> Json | None:
    seen = client.job(job)
    return seen if seen["ended_ms"] else None


@pytest.mark.parametrize("kind", SCRIPTS)
def test_each_has_its_end(told: tuple[House, Client], kind: str) -> None:
    client = told[1]
    command, expected = SCRIPTS[kind]
    body = {"name": kind, "profile": "load-generator@1.0", "timeout_s": 6, "entry": {"command": command}}
    job = client.submit(body, request_id=str(uuid4()))["id"]
    seen = eventually(lambda: _ended(client, job), f"the job that {kind} ends")
    assert (seen["state"], seen["reason"]) == expected


def test_the_exit_code_is_told(told: tuple[House, Client]) -> None:
    jobs = told[1].jobs()["jobs"]
    assert next(job for job in jobs if job["name"] == "exits 3")["reason_facts"] == {"exit_code": 3}


def test_a_flood_is_cut_and_says_so(told: tuple[House, Client]) -> None:
    jobs = told[1].jobs()["jobs"]
    log = told[1].log(next(job for job in jobs if job["name"] == "writes 200 MB")["id"], after=199_999_000)
    assert log["total"] == 200_000_000
    assert log["text"].endswith("x\n")


def test_nothing_stays_behind(told: tuple[House, Client]) -> None:
    house, client = told
    eventually(lambda: None if any(house.runs.iterdir()) else True, "every run directory is gone")
    eventually(lambda: _all_free(client), "every claim is released")
    assert ours_running(house) == []


def ours_running(house: House) -> list[str]:
    """Command lines of shims and jobs of this house that still live."""
    words = (" ".join(command_line(process)) for process in ours(house.data, house.runs))
    return [line for line in words if str(house.runs) in line and "alldata.agent run" not in line]


def _all_free(client: Client) -> bool | None:
    held = [d["reserved"] for device in client.resources()["resources"] for d in device["dimensions"]]
    return None if any(held) else True
