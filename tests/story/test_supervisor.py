"""Does the embedded platform start, refuse, survive and stop as promised?"""

import os
import subprocess
import sys

from alldata.embedded.attempts import ours
from tests.architecture.source import ROOT
from tests.story.house import House, clean_environment, eventually

FIRST_PAGE_S = 4.0


def crowding() -> float:
    """How much of this machine others take: the promise is made for one that is ours."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def second_supervisor(house: House) -> subprocess.CompletedProcess[str]:
    """Try to start another one on the same data."""
    command = [sys.executable, "-m", "alldata.embedded", "up", "--data", str(house.data)]
    return subprocess.run(command, cwd=ROOT, env=clean_environment(), capture_output=True, text=True, check=False)


def test_one_life_of_a_data_directory(house: House) -> None:
    house.start()
    refused = second_supervisor(house)
    assert refused.returncode == 1
    assert "is in use by process" in refused.stderr

    house.kill_supervisor()
    eventually(lambda: not ours(house.data, house.runs) or None, "the children follow their supervisor", 20)
    assert house.start() < FIRST_PAGE_S * crowding(), "the second start must answer its first page in time"

    assert house.kill_part("gunicorn") > 0
    eventually(house.first_page, "the web server is back", 20)
    assert house.stop() == []
    assert (house.data / "ports.json").exists()
