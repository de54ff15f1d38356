"""Wake the relay early. Losing a wake-up costs a second (the periodic relay), never a fact."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


def send(task: str) -> None:
    """Ask a worker to run a task by name, if the broker answers."""
    try:
        current_app.send_task(task, ignore_result=True, retry=False)
    except OperationalError as failure:
        log.warning("broker away, %s waits for its period: %s", task, type(failure).__name__)


def wake_relay() -> None:
    """Deliver what is due now."""
    send("alldata.outbox.tasks.relay")
