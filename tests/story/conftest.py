"""What do the story tests share? A fresh house each, taken down whatever happened in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.story.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A platform with an empty data directory; not started."""
    built = House(tmp_path / "data")
    yield built
    built.stop()
