"""Wake tasks early. Losing a wake-up costs a second (every loop has a period), never a fact."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)
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


def wake_relay() -> None:
    """Deliver what is due now."""
    send("alldata.outbox.tasks.relay")
