"""How do the story tests run a whole platform of their own? One data directory, one supervisor, real parts."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import httpx
import psutil

from alldata.cli.client import Client
from alldata.embedded.attempts import end, ours
from alldata.embedded.process import marked
from tests.architecture.source import ROOT

START_LIMIT_S = 90.0
T = TypeVar("T")


class TimedOut(AssertionError):
    """Something did not come true in time; the message says what."""


def eventually(look: Callable[[], T | None], what: str, limit_s: float = 60.0) -> T:
    """The first answer that is not None. Looks at the real world, so it must wait for it."""
    give_up = time.monotonic() + limit_s
    while (answer := look()) is None:
        if time.monotonic() > give_up:
            raise TimedOut(what)
        time.sleep(0.1)
    return answer


@dataclass(slots=True)
class House:
    """One platform under test. Its children are found by the mark in their environment, never by name alone."""

    data: Path
    supervisor: subprocess.Popen[bytes] | None = None

    @property
    def runs(self) -> Path:
        return self.data / "runs"

    @property
    def url(self) -> str:
        ports = json.loads((self.data / "ports.json").read_text())
        return f"http://127.0.0.1:{ports['web']}"

    def start(self) -> float:
        """Start the supervisor; returns the seconds until the first page."""
        began = time.monotonic()
        command = [sys.executable, "-m", "alldata.embedded", "up", "--data", str(self.data)]
        with (self.data.parent / "supervisor.log").open("ab") as log:
            self.supervisor = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, env=clean_environment())
        eventually(self.first_page, "the first page", START_LIMIT_S)
        return time.monotonic() - began

    def first_page(self) -> bool | None:
        if self.supervisor is not None and self.supervisor.poll() is not None:
            raise AssertionError((self.data.parent / "supervisor.log").read_text()[-3000:])
        try:
            return True if httpx.get(self.url, trust_env=False).status_code < 500 else None
        except (httpx.HTTPError, OSError):
            return None

    def client(self) -> Client:
        return Client(self.url, (self.data / "secrets" / "token").read_text())

    def kill_supervisor(self) -> None:
        """As hard as it gets: no word to anybody."""
        assert self.supervisor is not None
        self.supervisor.kill()
        self.supervisor.wait()

    def kill_part(self, word: str) -> int:
        """kill -9 every process of ours whose command line holds the word (gunicorn, celery); returns how many."""
        found = [process for process in marked(self.data) if word in " ".join(command_line(process))]
        for process in found:
            process.kill()
        return len(found)

    def stop(self) -> list[psutil.Process]:
        """Ctrl-C, then everything of ours that is left (it should be nothing) is returned and ended."""
        if self.supervisor is not None and self.supervisor.poll() is None:
            self.supervisor.send_signal(signal.SIGINT)
            self.supervisor.wait(60)
        left = ours(self.data, self.runs)
        end(left, grace_s=2.0)
        return left


def command_line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def clean_environment() -> dict[str, str]:
    """Ours without the addresses of the test run's own servers."""
    mine = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
    return {k: v for k, v in os.environ.items() if k not in mine and not k.startswith("ALLDATA_")}
