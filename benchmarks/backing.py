"""Where do benchmarks run? On a PostgreSQL and a Valkey of their own, in a directory that goes away.

Durable as in production (fsync and synchronous commits on); the settings are those of the embedded platform.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from alldata.embedded.ports import free_port
from alldata.embedded.postgres import Postgres
from alldata.embedded.process import stop
from alldata.embedded.valkey import Valkey


@contextmanager
def servers() -> Iterator[Mapping[str, str]]:
    """The environment of a platform with empty, migrated tables."""
    directory = Path(tempfile.mkdtemp(prefix="alldata-benchmark-"))
    postgres = Postgres(directory / "postgres", free_port(), secrets.token_hex(8))
    valkey = Valkey(directory / "valkey", free_port(), secrets.token_hex(8))
    running = [postgres.launch(), valkey.launch()]
    env = os.environ | {
        "ALLDATA_DATA_DIR": str(directory / "data"),
        "ALLDATA_SECRET_KEY": secrets.token_hex(32),
        "ALLDATA_AGENT_KEY": secrets.token_hex(16),
        "DATABASE_URL": postgres.url,
        "REDIS_URL": valkey.url,
        "DJANGO_SETTINGS_MODULE": "alldata.settings",
        "BENCHMARK_PORT": str(free_port()),
    }
    try:
        postgres.wait_ready(running[0])
        valkey.wait_ready(running[1])
        subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], check=True, env=env)
        yield env
    finally:
        stop(running[0], first=signal.SIGINT)
        stop(running[1])
        shutil.rmtree(directory, ignore_errors=True)


def run_inside(module: str, *words: str) -> str:
    """What a module of benchmarks.inside prints, run beside servers of its own."""
    with servers() as env:
        command = [sys.executable, "-m", f"benchmarks.inside.{module}", *words]
        return subprocess.run(command, check=True, env=env, stdout=subprocess.PIPE, text=True).stdout
