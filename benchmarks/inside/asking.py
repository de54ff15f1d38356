"""Ask a real web server over kept connections, as many at once as told; how long did each answer take?

The server is gunicorn as in production; requests are ready-made bytes. Processor time is that of the web workers and of
PostgreSQL, without the load generator.
"""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil
from django.db import connection

GUNICORN = ("--worker-class", "gthread", "--workers", "2", "--threads", "8", "--preload", "--log-level", "warning")
Make = Callable[[int], bytes]  # the n-th request of a connection


@dataclass(slots=True)
class Answers:
    """What one connection heard: milliseconds, and bytes on the wire of the last answer."""

    ms: list[float] = field(default_factory=list)
    bytes_each: int = 0
    last: bytes = b""


@dataclass(frozen=True, slots=True)
class Heard:
    """All connections of a run together; processor time by request."""

    ms: list[float]
    seconds: float
    web_ms: float
    postgres_ms: float

    @property
    def per_s(self) -> float:
        return len(self.ms) / self.seconds

    def at(self, percent: int) -> float:
        """A percentile of the latencies."""
        return float(np.percentile(self.ms, percent))


class Web:
    """One gunicorn, and the processes whose time it costs."""

    def __init__(self, port: int, master: int) -> None:
        self.port = port
        with connection.cursor() as cursor:
            cursor.execute("SHOW data_directory")
            postmaster = int((Path(cursor.fetchone()[0]) / "postmaster.pid").read_text().split()[0])
        self._parents = psutil.Process(master), psutil.Process(postmaster)

    def cpu_s(self) -> tuple[float, float]:
        """Seconds of processor so far, of the web and of PostgreSQL."""
        web, postgres = ([child.cpu_times() for child in parent.children()] for parent in self._parents)
        return sum(t.user + t.system for t in web), sum(t.user + t.system for t in postgres)

    def hear(self, makes: list[Make], seconds: float) -> Heard:
        """Every maker is one connection that asks again as soon as it is answered."""
        answers, began, before = [Answers() for _ in makes], time.perf_counter(), self.cpu_s()
        threads = [
            threading.Thread(target=_ask, args=(self.port, make, heard, began + seconds))
            for make, heard in zip(makes, answers, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took, after = time.perf_counter() - began, self.cpu_s()
        every = [ms for heard in answers for ms in heard.ms]
        web, postgres = ((spent - sofar) * 1000 / len(every) for sofar, spent in zip(before, after, strict=True))
        return Heard(every, took, web, postgres)

    def once(self, request: bytes) -> Answers:
        """One question on a connection of its own."""
        heard = Answers()
        _ask(self.port, lambda n: request, heard, 0.0)
        return heard


def _ask(port: int, make: Make, heard: Answers, until: float) -> None:
    with socket.create_connection(("127.0.0.1", port)) as line:
        number = 0
        while number == 0 or time.perf_counter() < until:
            request, began = make(number), time.perf_counter()
            line.sendall(request)
            heard.last = _answer(line)
            heard.ms.append((time.perf_counter() - began) * 1000)
            heard.bytes_each = len(heard.last)
            number += 1


def _answer(line: socket.socket) -> bytes:
    """One whole answer. Errors: RuntimeError for anything but success."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += line.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    words = head.lower().split(b"content-length: ")
    if not head.startswith(b"HTTP/1.1 20") or len(words) < 2:
        raise RuntimeError(answer[:3000].decode(errors="replace"))
    missing = int(words[1].split(b"\r\n")[0]) - len(body)
    parts = [answer]
    while missing > 0:
        parts.append(line.recv(65536))
        missing -= len(parts[-1])
    return b"".join(parts)


def request_of(method: str, path: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """An HTTP/1.1 request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


@contextmanager
def web() -> Iterator[Web]:
    """A web server for as long as the block."""
    port = int(os.environ["BENCHMARK_PORT"])
    command = (sys.executable, "-m", "gunicorn", *GUNICORN, "--bind", f"127.0.0.1:{port}", "alldata.wsgi:application")
    master = subprocess.Popen(command)
    try:
        while not _answers(port):
            time.sleep(0.05)
        yield Web(port, master.pid)
    finally:
        master.terminate()
        master.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
