"""Does the agent install and start where there is no Django? An empty environment, the wheel, its three needs."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.architecture.source import ROOT


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run to the end, whatever the status."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the base wheel alone, built beside the sources and not in them."""
    tree, room = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("room")
    shutil.copy(ROOT / "pyproject.toml", tree)
    for name in ("alldata", "profiles", "scheduling", "costing", "monitoring"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
    built = run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", tree, tree)
    assert built.returncode == 0, built.stderr
    venv.create(room, with_pip=False)
    installed = run(*pip, "--python", room / "bin" / "python", "install", *tree.glob("*.whl"))
    assert installed.returncode == 0, installed.stderr
    return room / "bin"


def test_the_base_brings_no_django(room: Path) -> None:
    assert run(room / "python", "-c", "import django").returncode != 0


def test_the_agent_starts_without_django(room: Path) -> None:
    answer = run(room / "alldata-agent", "--version")
    assert (answer.returncode, answer.stderr) == (0, "")


def test_the_client_starts_without_django(room: Path) -> None:
    answer = run(room / "alldata", "--help")
    assert (answer.returncode, answer.stderr) == (0, "")
