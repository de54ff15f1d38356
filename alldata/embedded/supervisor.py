"""How do the parts run together on one machine? Started in order, restarted when they fall, all ended with us.

Order that matters: the servers before migrations, migrations before the first start of the programs. A start
that finds everything already migrated starts servers and web together. What a killed supervisor left behind has been
ended before (home.py); live attempts are not, the worker adopts them.
"""

import hashlib
import signal
import subprocess
import time
from dataclasses import dataclass, field

import httpx

from alldata.embedded.attempts import end, ours, stop_shims
from alldata.embedded.home import ADMINISTRATOR, REPOSITORY, Home
from alldata.embedded.parts import Part, manage, programs
from alldata.embedded.process import spawn, stop

FIRST_DELAY_S, LONGEST_DELAY_S, STEADY_S = 0.5, 15.0, 60.0
TEND_S = 0.2


class StartFailed(RuntimeError):
    """A step of the start failed; the message names the step and quotes the end of its output."""


@dataclass(slots=True)
class Running:
    """One part, its process, and how patient we are with it."""

    part: Part
    process: subprocess.Popen[bytes]
    since: float
    delay_s: float = FIRST_DELAY_S
    due: float | None = None


@dataclass(slots=True)
class Supervisor:
    """Owns every process of one data directory. All calls come from one thread: the kernel ties children to it."""

    home: Home
    servers: list[tuple[subprocess.Popen[bytes], int]] = field(default_factory=list)
    running: list[Running] = field(default_factory=list)
    restarts: int = 0

    def start(self) -> None:
        """Bring everything up; returns when the first page answers."""
        prepared = self.home.data / "prepared"
        fresh = prepared.exists() and prepared.read_text() == preparation_digest()
        postgres, valkey = self.home.postgres, self.home.valkey
        database, broker = postgres.launch(), valkey.launch()
        self.servers = [(broker, signal.SIGTERM), (database, signal.SIGINT)]
        if fresh:
            self._launch("web")
        postgres.wait_ready(database)
        valkey.wait_ready(broker)
        if not fresh:
            self._prepare()
            prepared.write_text(preparation_digest())
            self._launch("web")
        self._wait_for_first_page()
        self._launch("worker", "agent")

    def tend(self) -> None:
        """Restart what has ended, each with growing patience. Call it a few times a second."""
        now = time.monotonic()
        for one in self.running:
            if one.due is not None and now >= one.due:
                one.process, one.since, one.due = spawn(one.part.command), now, None
                self.restarts += 1
            elif one.due is None and one.process.poll() is not None:
                stop(one.process)
                one.delay_s = FIRST_DELAY_S if now - one.since > STEADY_S else min(one.delay_s * 2, LONGEST_DELAY_S)
                one.due = now + one.delay_s
                print(f"{one.part.name} ended ({one.process.returncode}); again in {one.delay_s:.0f} s", flush=True)
        for process, _ in self.servers:
            if process.poll() is not None:
                raise StartFailed(f"a database server ended ({process.returncode}); see {self.home.data / 'logs'}")

    def tend_for_ever(self) -> None:
        """Until a signal unwinds us."""
        while True:
            self.tend()
            time.sleep(TEND_S)

    def stop(self) -> None:
        """End everything of ours: first who could launch more, then the attempts, the databases last."""
        self._stop("worker")
        stop_shims(self.home.runs)
        self._stop("agent", "web")
        for process, first in self.servers:
            stop(process, first=first)
        self.running, self.servers = [], []
        end(ours(self.home.data, self.home.runs), grace_s=1.0)

    def _launch(self, *names: str) -> None:
        """The page comes first, alone: on two cores the others would only make it late."""
        wanted = [part for part in programs(self.home) if part.name in names]
        self.running += [Running(part, spawn(part.command), time.monotonic()) for part in wanted]

    def _stop(self, *names: str) -> None:
        for one in self.running:
            if one.part.name in names:
                stop(one.process, grace_s=one.part.grace_s)

    def _prepare(self) -> None:
        self._manage("migrate", "--no-input", "--verbosity", "0")
        secret = self.home.secret_file
        account = ("--username", ADMINISTRATOR, "--password-file", str(secret("admin_password")))
        self._manage("bootstrap", *account, "--token-file", str(secret("token")))
        self._manage("collectstatic", "--no-input", "--clear", "--verbosity", "0", "--ignore", "widgetbundle.js")

    def _manage(self, *words: str) -> None:
        argv, environment = manage(self.home, *words)
        result = subprocess.run(argv, env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        if result.returncode:
            raise StartFailed(f"manage.py {words[0]} failed:\n{result.stderr[-2000:]}")

    def _wait_for_first_page(self, timeout_s: float = 60.0) -> None:
        give_up = time.monotonic() + timeout_s
        while not first_page_answers(self.home.url):
            if time.monotonic() > give_up:
                raise StartFailed(f"the web server does not answer:\n{self.home.log('web').read_text()[-2000:]}")
            self.tend()
            time.sleep(0.05)


def first_page_answers(url: str) -> bool:
    """True when the server answers a page without a server error."""
    try:
        return httpx.get(url + "/", timeout=5.0, trust_env=False).status_code < 500
    except httpx.HTTPError:
        return False


def preparation_digest() -> str:
    """What was prepared for: migrations, the lock (third-party apps migrate too), bootstrap, profiles, static files."""
    digest = hashlib.sha256()
    code = ("*/migrations/*.py", "alldata/*/migrations/*.py", "alldata/*/management/commands/*.py")
    for pattern in (*code, "profiles/data/*", "static/*", "requirements.lock"):
        for file in sorted(REPOSITORY.glob(pattern)):
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()
