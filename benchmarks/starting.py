"""How long until a submitted job runs, on a whole platform of this machine that does nothing else?

A fresh data directory, the embedded supervisor with all its parts, jobs through REST one after the other. From the
server's stamp of the submission to the engine's own stamp of the start; and from each fact until it was delivered.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import psycopg2

from alldata.embedded.home import Home

PROFILE = "load-generator@1.0"
JOBS, WARM, LIMIT_S = 30, 3, 90.0
#: After a job's end: its room is held for the profile's grace period of a second, and given back by a loop of a second.
REST_S = 2.5
DELAYS = """
SELECT delivery.done_ms - event.at_ms FROM outbox_delivery AS delivery
JOIN outbox_outboxevent AS event ON event.id = delivery.event_id
WHERE delivery.done_ms IS NOT NULL AND event.at_ms >= %s"""


def measure() -> dict[str, Any]:
    """Start it all, run the jobs, stop it all."""
    with tempfile.TemporaryDirectory(prefix="alldata-benchmark-") as directory:
        data = Path(directory) / "data"
        command = [sys.executable, "-m", "alldata.embedded", "up", "--data", str(data)]
        with (Path(directory) / "log").open("wb") as log:
            supervisor = subprocess.Popen(command, stdout=log, stderr=log, env=_plain())
        try:
            return _measured(data)
        finally:
            supervisor.send_signal(signal.SIGINT)
            supervisor.wait(60)


def _plain() -> dict[str, str]:
    """Ours without anybody's addresses."""
    mine = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
    return {k: v for k, v in os.environ.items() if k not in mine and not k.startswith("ALLDATA_")}


def _measured(data: Path) -> dict[str, Any]:
    client = _ready(data)
    ran = [_run(client) for _ in range(WARM + JOBS)][WARM:]
    started = [job["attempts"][0]["started_ms"] - job["submitted_ms"] for job in ran]
    delivered = {f"idle_{name}": ms for name, ms in _told(_delays(data, ran[0]["submitted_ms"])).items()}
    return {"start": _told(started) | {"jobs": JOBS}, "relay": delivered}


def _delays(data: Path, since_ms: int) -> list[int]:
    """From each fact since then until it had been delivered."""
    home = Home(data, json.loads((data / "ports.json").read_text()))
    with closing(psycopg2.connect(home.postgres.url)) as line, line.cursor() as cursor:
        cursor.execute(DELAYS, [since_ms])
        return [delay for (delay,) in cursor.fetchall()]


def _ready(data: Path) -> httpx.Client:
    """A client, once a first job has run."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        try:
            port = json.loads((data / "ports.json").read_text())["web"]
            token = (data / "secrets" / "token").read_text().strip()
            client = httpx.Client(
                base_url=f"http://127.0.0.1:{port}/api/v1",
                headers={"Authorization": f"Bearer {token}"},
                trust_env=False,
            )
            _run(client)
        except (OSError, httpx.HTTPError):
            time.sleep(0.5)
        else:
            return client
    raise TimeoutError(f"the platform did not run a job within {LIMIT_S:.0f} s")


def _run(client: httpx.Client) -> dict[str, Any]:
    """One job from submission until its room is free again: the next one is to find an idle machine."""
    body = {"name": "start", "profile": PROFILE, "entry": {"command": ["true"]}}
    answer = client.post("/jobs", json=body).raise_for_status().json()
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        time.sleep(0.4)
        job: dict[str, Any] = client.get(f"/jobs/{answer['id']}").raise_for_status().json()
        if job["state"] == "succeeded":
            time.sleep(REST_S)
            return job
    raise TimeoutError(f"{answer['reference']} is {job['state']}: {job['reason']}")


def _told(ms: list[int]) -> dict[str, float]:
    return {"p50_ms": statistics.median(ms), "p99_ms": round(statistics.quantiles(ms, n=100)[98], 1), "max_ms": max(ms)}
