"""How does the agent post one message, with little memory?

The standard library's client on one kept connection: a full client would double the agent's
footprint. Redirects are not followed (a POST would turn into a GET); they are reported.
"""

import http.client
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

from alldata.agent.clock import wall_ms

TIMEOUT_S = 10
MAX_ANSWER = 1 << 20


class Unreachable(Exception):
    """No answer came back: the cause is the operating system's or the protocol's own words."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause

    def __str__(self) -> str:
        return self.cause


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said, and when by our clock we had asked and had the answer."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    sent_ms: int = 0
    received_ms: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is."""

    secure: bool
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, url: str) -> "Address":
        """Errors: ValueError, in words for the person who typed it."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"--server {url!r} is not an address such as https://alldata.example.com")
        secure = parts.scheme == "https"
        return cls(secure, parts.hostname, parts.port or (443 if secure else 80), parts.path.rstrip("/"))


class Server:
    """One kept connection to the server, opened again when it breaks."""

    def __init__(self, address: Address, key_file: Path | None) -> None:
        self.address = address
        self._key_file = key_file
        self._line: http.client.HTTPConnection | None = None

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def post(self, path: str, body: bytes) -> Answer:
        """Post once; a connection the server has closed meanwhile is opened again. Errors: Unreachable."""
        kept = self._line is not None
        try:
            return self._exchange(path, body)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as broken:
            self.close()
            if not kept:
                raise Unreachable(_words(broken)) from None
        except (OSError, http.client.HTTPException) as failure:
            self.close()
            raise Unreachable(_words(failure)) from None
        try:
            return self._exchange(path, body)
        except (OSError, http.client.HTTPException) as failure:
            self.close()
            raise Unreachable(_words(failure)) from None

    def _exchange(self, path: str, body: bytes) -> Answer:
        sent_ms = wall_ms()
        if self._line is None:
            self._line = self._open()
        headers = {"Content-Type": "application/json", "Accept": "application/json"} | self._credential()
        self._line.request("POST", f"{self.address.path}{path}", body, headers)
        reply = self._line.getresponse()
        content = reply.read(MAX_ANSWER)
        if reply.will_close or len(content) == MAX_ANSWER:
            self.close()
        named = {name.lower(): value for name, value in reply.getheaders()}
        return Answer(reply.status, content, named, sent_ms, wall_ms())

    def _open(self) -> http.client.HTTPConnection:
        place = (self.address.host, self.address.port)
        if self.address.secure:
            return http.client.HTTPSConnection(*place, timeout=TIMEOUT_S, context=ssl.create_default_context())
        return http.client.HTTPConnection(*place, timeout=TIMEOUT_S)

    def _credential(self) -> dict[str, str]:
        """Read for every message: a key may be replaced while the agent runs."""
        if self._key_file is None:
            return {}
        try:
            key = self._key_file.read_text(encoding="ascii").strip()
        except ValueError:
            raise Unreachable(f"the key file {self._key_file} does not hold a key") from None
        return {"Authorization": f"Agent {key}"}


def _words(failure: Exception) -> str:
    return f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
