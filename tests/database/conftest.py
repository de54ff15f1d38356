"""Whose money is it in tests that do not say otherwise?"""

import pytest

from alldata.tenancy.viewer import Viewer
from tests.money import tenant


@pytest.fixture
def viewer() -> Viewer:
    """An administrator of the default organisation."""
    return tenant()
