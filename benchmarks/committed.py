"""A real database and broker for one measurement: start them, make the tables, run committed_rows, stop them.

The servers are the platform's own, with their durable defaults, in a temporary directory.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from alldata.embedded.ports import free_port
from alldata.embedded.postgres import Postgres
from alldata.embedded.process import stop
from alldata.embedded.valkey import Valkey

RUN = "import django; django.setup(); from benchmarks.committed_rows import main; main({nodes}, {jobs})"


def measure(nodes: int, jobs: int) -> dict[str, float]:
    """What committed_rows.main prints, measured on a fresh database."""
    with tempfile.TemporaryDirectory(prefix="alldata-bench-", ignore_cleanup_errors=True) as folder:
        server = Postgres(Path(folder) / "postgres", free_port(), secrets.token_hex(8))
        broker = Valkey(Path(folder) / "valkey", free_port(), secrets.token_hex(8))
        running, waking = server.launch(), broker.launch()
        try:
            server.wait_ready(running)
            broker.wait_ready(waking)
            return _run({"DATABASE_URL": server.url, "REDIS_URL": broker.url}, folder, nodes, jobs)
        finally:
            stop(running, first=signal.SIGINT)
            stop(waking)


def _run(servers: dict[str, str], folder: str, nodes: int, jobs: int) -> dict[str, float]:
    own = {
        **servers,
        "ALLDATA_DATA_DIR": folder,
        "ALLDATA_SECRET_KEY": secrets.token_hex(32),
        "ALLDATA_AGENT_KEY": secrets.token_hex(16),
        "DJANGO_SETTINGS_MODULE": "alldata.settings",
    }
    env = {**os.environ, **own}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], env=env, check=True)
    command = [sys.executable, "-c", RUN.format(nodes=nodes, jobs=jobs)]
    found = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, float] = json.loads(found.stdout.splitlines()[-1])
    return answer
