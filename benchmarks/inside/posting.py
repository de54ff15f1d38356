"""How many intervals a second does the web take in? A real gunicorn, ready-made requests, plain sockets."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings

from alldata.agent.version import VERSION
from alldata.kernel import clock
from alldata.kernel.intervals import HOUR_MS
from benchmarks.inside import fleet

CONNECTIONS = 16
#: Posted windows begin ten hours ago, so that none is refused for its time.
WINDOW_MS, AGO_MS = 1000, 10 * HOUR_MS
GUNICORN = ("--worker-class", "gthread", "--workers", "2", "--threads", "8", "--preload", "--log-level", "warning")


def post_rate(windows: int, seconds: float) -> float:
    """Intervals a second with `windows` windows of 64 intervals a post."""
    with _web() as port:
        _Poster(port, "warm", windows).post(20)
        posters = [_Poster(port, f"poster-{windows}-{k}", windows) for k in range(CONNECTIONS)]
        began = time.perf_counter()
        until = began + seconds
        threads = [threading.Thread(target=poster.run, args=(until,)) for poster in posters]
        _all(threads, threading.Thread.start)
        _all(threads, threading.Thread.join)
        took = time.perf_counter() - began
    return sum(poster.done for poster in posters) * windows * fleet.PER_WINDOW / took


def _all(threads: list[threading.Thread], do: Callable[[threading.Thread], None]) -> None:
    for thread in threads:
        do(thread)


@contextmanager
def _web() -> Iterator[int]:
    port = int(os.environ["BENCHMARK_PORT"])
    command = (sys.executable, "-m", "gunicorn", *GUNICORN, "--bind", f"127.0.0.1:{port}", "alldata.wsgi:application")
    web = subprocess.Popen(command)
    try:
        while not _answers(port):
            time.sleep(0.05)
        yield port
    finally:
        web.terminate()
        web.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


class _Poster:
    """One agent on one kept connection."""

    def __init__(self, port: int, agent: str, windows: int) -> None:
        self.agent, self.windows, self.done = agent, windows, 0
        self._start_ms = clock.now_ms() - AGO_MS
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._head = (
            f"POST /api/v1/agents/frames HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Authorization: Agent {settings.AGENT_KEY}\r\nContent-Type: application/json\r\n"
        )
        self._devices = json.dumps(_devices(), separators=(",", ":"))

    def run(self, until: float) -> None:
        """Post until the time is over."""
        while time.perf_counter() < until:
            self.post(1)

    def post(self, times: int) -> None:
        """Post the next windows and read the answer."""
        for _ in range(times):
            first = self.done * self.windows
            body = self._body(range(first, first + self.windows)).encode()
            head = f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode()
            self._socket.sendall(head + body)
            self._expect_taken()
            self.done += 1

    def _expect_taken(self) -> None:
        """Read one whole answer, which may come in two pieces."""
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._socket.recv(65536)
        head, _, body = answer.partition(b"\r\n\r\n")
        missing = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]) - len(body)
        while missing > 0:
            missing -= len(self._socket.recv(missing))
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer.decode(errors="replace"))

    def _body(self, seqs: range) -> str:
        frames = [self._frame(seq) for seq in seqs]
        kind, body = ("frame", frames[0]) if len(frames) == 1 else ("frames", f'{{"frames":[{",".join(frames)}]}}')
        who = f'"agent":"{self.agent}","agent_version":"{VERSION}","sent_ms":1'
        return f'{{"wire":1,"kind":"{kind}",{who},"body":{body}}}'

    def _frame(self, seq: int) -> str:
        start = self._start_ms + seq * WINDOW_MS
        when = f'"start_ms":{start},"end_ms":{start + WINDOW_MS}'
        return f'{{"epoch":"boot:1","seq":{seq},{when},"devices":{self._devices}}}'


def _devices() -> list[dict[str, object]]:
    """One window's values, as an agent writes them."""
    columns = next(fleet.windows_of_day(0, 1)).columns
    values = iter(zip(columns.q.tolist(), columns.peak.tolist(), strict=True))
    found: list[dict[str, object]] = []
    for part in columns.parts:
        dims = {}
        for name in part.names:
            q, peak = next(values)
            dims[name] = {"q": q, "source": "driver", "quality": "measured", "peak": peak, "coverage_ms": WINDOW_MS}
        found.append({"uuid": part.device, "dims": dims})
    return found
