"""What do all tests share? Only what is true for every suite; each suite has a conftest of its own."""

import pytest

from tests.services import Services

SUITE_NEEDS_DATABASE = ("tests/database/", "tests/doors/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the database and door suites may use the database without saying so in each file."""
    for item in items:
        if item.nodeid.startswith(SUITE_NEEDS_DATABASE) and item.get_closest_marker("django_db") is None:
            item.add_marker(pytest.mark.django_db)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(services: Services | None) -> None:
    """pytest-django asks for this before it makes the test database: the servers run from here on."""
