"""Do the servers of the test run answer?"""

from django.db import connection

from tests.services import Services


def test_the_test_database_is_a_real_postgresql() -> None:
    assert connection.vendor == "postgresql"


def test_valkey_answers_beside_it(services: Services | None) -> None:
    assert services is None or services.valkey.port > 0
