"""Fresh engines for each test; whatever still runs afterwards is stopped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.engines import Engine, Fake, Local


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Local]:
    engine = Local(tmp_path / "runs")
    yield engine
    for key in engine.executor.stop_all(grace_ms=0):
        engine.ended(key)


@pytest.fixture(params=["local", "fake"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Every engine in turn."""
    if request.param == "fake":
        return Fake(tmp_path)
    found: Local = request.getfixturevalue("local")
    return found
