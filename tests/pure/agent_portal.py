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
        self.posts: list[str] = []
        self.refused: set[int] = set()
        self.knows_runs = True
        self.hang_up = 0
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

    def answer(self, envelope: wire.Envelope) -> Mapping[str, object]:
        """Keep a message and say what became of it."""
        with self.changed:
            self.changed.notify_all()
            self.posts.append(envelope.kind)
            body, now_ms = envelope.body, wall_ms()
            if isinstance(body, wire.Register):
                self.registrations.append(body)
                return {"server_ms": now_ms, "duplicate": False}
            if isinstance(body, wire.Frame):
                return {"server_ms": now_ms, "duplicate": self._keep(envelope.agent, body)}
            taken = [one for one in body.frames if one.seq not in self.refused]
            again = sum(self._keep(envelope.agent, one) for one in taken)
            counts = {"stored": len(taken) - again, "duplicates": again, "duplicate": again == len(taken)}
            refused = [{"seq": seq, "code": "frame_overlaps", "detail": ""} for seq in sorted(self.refused)]
            return {"server_ms": now_ms, **counts, "refused": refused}

    def _keep(self, agent: str, frame: wire.Frame) -> bool:
        """Keep a frame; True when it was here before."""
        name = (agent, frame.epoch, frame.seq)
        again = name in self.frames
        self.duplicates += again
        self.frames.setdefault(name, frame)
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
        elif b'"kind":"frames"' in raw and not self.server.knows_runs:
            self._answer(422, {"code": "bad_message"})
        else:
            answer = self.server.answer(wire.parse(raw))
            time.sleep(self.server.answer_after_s)
            self._answer_unless_cut(answer)

    def _answer_unless_cut(self, answer: Mapping[str, object]) -> None:
        """What was kept stays kept, but nobody hears of it."""
        if "stored" in answer and self.server.hang_up > 0:
            self.server.hang_up -= 1
            self.close_connection = True
        else:
            self._answer(200, answer)

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
