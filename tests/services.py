"""What do tests run against? A private PostgreSQL and Valkey in a temporary directory, started when first needed.

Loaded before Django's settings are read (`-p tests.services`), so the addresses are in the environment in time; the
servers themselves start with the first test that asks for them. A DATABASE_URL that is already set is used as it is.
"""

import os
import secrets
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from alldata.embedded.ports import free_port
from alldata.embedded.postgres import Postgres
from alldata.embedded.process import stop
from alldata.embedded.valkey import Valkey

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True, slots=True)
class Services:
    """Where the servers of this test run are."""

    directory: Path
    postgres: Postgres
    valkey: Valkey


_CHOSEN: list[Services] = []


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, None, None]:
    """Choose the addresses before pytest-django reads the settings, hence a wrapper; nothing is started."""
    _choose_addresses()
    yield


def _choose_addresses() -> None:
    directory = Path(tempfile.mkdtemp(prefix="alldata-tests-"))
    os.environ.setdefault("ALLDATA_DATA_DIR", str(directory / "data"))
    os.environ.setdefault("ALLDATA_SECRET_KEY", secrets.token_hex(32))
    os.environ.setdefault("ALLDATA_AGENT_KEY", secrets.token_hex(16))
    if "DATABASE_URL" in os.environ:
        return
    postgres = Postgres(directory / "postgres", free_port(), secrets.token_hex(8), extra=FAST)
    valkey = Valkey(directory / "valkey", free_port(), secrets.token_hex(8))
    os.environ["DATABASE_URL"], os.environ["REDIS_URL"] = postgres.url, valkey.url
    _CHOSEN.append(Services(directory, postgres, valkey))


@pytest.fixture(scope="session")
def services() -> Iterator[Services | None]:
    """The running servers; None where DATABASE_URL and REDIS_URL were given from outside."""
    if not _CHOSEN:
        yield None
        return
    chosen = _CHOSEN[0]
    postgres, valkey = chosen.postgres.launch(), chosen.valkey.launch()
    try:
        chosen.postgres.wait_ready(postgres)
        chosen.valkey.wait_ready(valkey)
        yield chosen
    finally:
        stop(postgres, first=signal.SIGINT)
        stop(valkey)


def pytest_unconfigure() -> None:
    """Leave no directory behind."""
    for chosen in _CHOSEN:
        shutil.rmtree(chosen.directory, ignore_errors=True)
