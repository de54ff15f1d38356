"""What the door tests share: a world whose clock stands still."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from alldata.kernel import clock
from alldata.tenancy.viewer import Viewer
from scheduling.executors.fake import FakeExecutor
from tests.world import NOW, home, machine, plugged


class Noon:
    """A clock that stands still."""

    def now_ms(self) -> int:
        return NOW


@pytest.fixture
def noon_viewer(tmp_path: Path) -> Iterator[Viewer]:
    """The administrator of a home with one machine, at NOW."""
    machine()
    plugged(FakeExecutor(now_ms=Noon().now_ms), tmp_path)
    clock.use(Noon())
    yield home()
    clock.use(clock.SystemClock())
