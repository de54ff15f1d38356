"""Wake tasks early. Losing a wake-up costs a second (every loop has a period), never a fact."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Timer

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)
#: One wake-up of the relay in this time, a process: it delivers hundreds of facts at once.
PAUSE_S = 0.05
_gathered: ContextVar[set[str] | None] = ContextVar("gathered", default=None)


def send(task: str) -> None:
    """Ask a worker to run a task by name, if the broker answers."""
    gathered = _gathered.get()
    if gathered is not None:
        gathered.add(task)
        return
    try:
        current_app.send_task(task, ignore_result=True, retry=False)
    except OperationalError as failure:
        log.warning("broker away, %s waits for its period: %s", task, type(failure).__name__)


@contextmanager
def once_each() -> Iterator[None]:
    """Gather the wake-ups of the block and send each task once at its end."""
    gathered: set[str] = set()
    token = _gathered.set(gathered)
    try:
        yield
    finally:
        _gathered.reset(token)
        for task in sorted(gathered):
            send(task)


class _Bell:
    """Rings at once, and while it is rung often once a PAUSE_S: the last of many is heard as surely as the first."""

    def __init__(self, task: str) -> None:
        self._task, self._lock = task, Lock()
        self._rung_s, self._is_due = -PAUSE_S, False

    def ring(self) -> None:
        """Now, or when the pause is over."""
        with self._lock:
            if self._is_due:
                return
            rest_s = self._rung_s + PAUSE_S - time.monotonic()
            self._is_due = rest_s > 0
            if not self._is_due:
                self._rung_s = time.monotonic()
        if self._is_due:
            later = Timer(rest_s, self._late)
            later.daemon = True
            later.start()
        else:
            send(self._task)

    def _late(self) -> None:
        with self._lock:
            self._rung_s, self._is_due = time.monotonic(), False
        send(self._task)


_relay = _Bell("alldata.outbox.tasks.relay")


def wake_relay() -> None:
    """Deliver what is due soon."""
    if _gathered.get() is None:
        _relay.ring()
    else:
        send("alldata.outbox.tasks.relay")
