"""Where does one embedded platform keep everything? One data directory: secrets, ports, databases, runs, logs.

Nothing is written outside it. Its lock makes sure that one supervisor at most works on it; the kernel drops the lock
with the process, so a killed supervisor never blocks the next start.
"""

import fcntl
import os
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from alldata.embedded.attempts import sweep
from alldata.embedded.ports import settle_ports
from alldata.embedded.postgres import Postgres
from alldata.embedded.process import MARK
from alldata.embedded.valkey import Valkey

ADMINISTRATOR = "admin"
REPOSITORY = Path(__file__).resolve().parents[2]
DEFAULT_DATA = REPOSITORY / "var"


class AlreadyRunning(RuntimeError):
    """Another supervisor holds this data directory."""


@dataclass(frozen=True, slots=True)
class Home:
    """The settled places and addresses of one data directory."""

    data: Path
    ports: Mapping[str, int]

    @property
    def runs(self) -> Path:
        return self.data / "runs"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ports['web']}"

    @property
    def node(self) -> str:
        """Under which name agent and local engine know this machine."""
        return os.environ.get("ALLDATA_NODE") or socket.gethostname()

    @property
    def postgres(self) -> Postgres:
        return Postgres(self.data / "postgres", self.ports["postgres"], self.secret("database_password"), self.mark)

    @property
    def valkey(self) -> Valkey:
        return Valkey(self.data / "valkey", self.ports["valkey"], self.secret("valkey_password"), self.mark)

    @property
    def mark(self) -> dict[str, str]:
        return {MARK: str(self.data)}

    def secret_file(self, name: str) -> Path:
        """The file of one secret, made on first use, readable by us alone."""
        file = self.data / "secrets" / name
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            part = file.with_suffix(".new")
            part.touch(mode=0o600)
            part.write_text(secrets.token_urlsafe(32))
            part.replace(file)
        return file

    def secret(self, name: str) -> str:
        return self.secret_file(name).read_text().strip()

    @property
    def token(self) -> str:
        """The API token that the first start issued."""
        return self.secret("token")

    def log(self, name: str) -> Path:
        return self.data / "logs" / f"{name}.log"

    def environment(self) -> dict[str, str]:
        """What every part of the platform is told; alldata/settings.py and alldata/wiring.py read it."""
        return {
            **self.mark,
            "ALLDATA_DATA_DIR": str(self.data),
            "ALLDATA_RUNS_DIR": str(self.runs),
            "ALLDATA_STATIC_ROOT": str(self.data / "static"),
            "ALLDATA_SECRET_KEY_FILE": str(self.secret_file("secret_key")),
            "ALLDATA_AGENT_KEY_FILE": str(self.secret_file("agent_key")),
            "ALLDATA_URL": self.url,
            "ALLDATA_NODE": self.node,
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.valkey.url,
            "DJANGO_SETTINGS_MODULE": "alldata.settings",
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(self.data / "tmp"),
            # Each arena and each BLAS thread costs memory that an idle laptop platform has no use for.
            "MALLOC_ARENA_MAX": "2",
            "OPENBLAS_NUM_THREADS": "1",
        }


@contextmanager
def occupied(data: Path, *, web_port: int | None = None) -> Iterator[Home]:
    """Hold the data directory while in the block; refuse clearly when another supervisor does."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    (data / "tmp").mkdir(mode=0o700, exist_ok=True)
    with (data / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            lock.seek(0)
            raise AlreadyRunning(f"{data} is in use by {lock.read().strip() or 'another supervisor'}") from held
        yield from _settled(data, lock.fileno(), web_port)


def _settled(data: Path, lock: int, web_port: int | None) -> Iterator[Home]:
    sweep(data, data / "runs")
    home = Home(data, settle_ports(data, web=web_port))
    os.ftruncate(lock, 0)
    os.write(lock, f"process {os.getpid()}, portal {home.url}\n".encode())
    try:
        yield home
    finally:
        os.ftruncate(lock, 0)
