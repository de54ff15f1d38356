"""A stand-in for the portal's socket: takes registrations and frames, and can misbehave on demand."""

import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from alldata.agent import wire
from alldata.agent.clock import wall_ms

KEY = "key-of-the-test"


class Portal(ThreadingHTTPServer):
    """Keeps each frame once by (agent, epoch, seq), as the real portal does."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Door)
        self.registrations: list[wire.Register] = []
        self.frames: dict[tuple[str, str, int], wire.Frame] = {}
        self.duplicates = 0
        self.answer_after_s = 0.0
        self.refuse_with: int | None = None
        self.problem: dict[str, str] = {}
        self.headers: dict[str, str] = {}
        self.changed = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """An agent that is killed leaves its connection; anything else is the test's business."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    def take(self, envelope: wire.Envelope) -> bool:
        """Keep a message; True when this frame was here before."""
        with self.changed:
            self.changed.notify_all()
            if isinstance(envelope.body, wire.Register):
                self.registrations.append(envelope.body)
                return False
            name = (envelope.agent, envelope.body.epoch, envelope.body.seq)
            again = name in self.frames
            self.duplicates += again
            self.frames.setdefault(name, envelope.body)
            return again

    def totals(self) -> dict[tuple[str, str], int]:
        """Usage of attempts over every frame: (key, dimension) -> q."""
        found: dict[tuple[str, str], int] = defaultdict(int)
        for frame in self.frames.values():
            for use in frame.attempts:
                for dimension, usage in use.dims.items():
                    found[use.key, dimension] += usage.q or 0
        return dict(found)


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Portal

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.refuse_with is not None:
            self._answer(self.server.refuse_with, self.server.problem)
        elif self.headers["Authorization"] != f"Agent {KEY}":
            self._answer(401, {"code": "unauthenticated"})
        else:
            again = self.server.take(wire.parse(raw))
            time.sleep(self.server.answer_after_s)
            self._answer(200, {"server_ms": wall_ms(), "duplicate": again})

    def _answer(self, status: int, content: Mapping[str, object]) -> None:
        body = json.dumps(content).encode()
        own = self.server.headers
        self.send_response_only(status)
        for name, value in ({"Date": self.date_time_string(), "Content-Length": str(len(body))} | own).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Quiet."""


@contextmanager
def portal() -> Iterator[Portal]:
    """A portal on a free port for the length of a test."""
    with Portal() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
