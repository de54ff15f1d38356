"""Let the database work on one statement while this process makes the next.

The statement runs on Django's own connection: as a transaction of its own, or within the one that is open, undone alone
when it fails. A thread waits for it, which leaves Python free; what fails there is raised by `end`. Whoever makes
the next statement meanwhile must leave the database alone.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from types import TracebackType
from typing import Any, Self

import psycopg2
from django.db import connection

Words = Sequence[Any]


class Aside:
    """One statement at a time; leaving the block waits for it."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._running: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is not None:
            self._thread.shutdown()

    def start(self, text: str, words: Words) -> None:
        """Send the statement; several in one text are one transaction all the same."""
        connection.ensure_connection()
        self._thread = self._thread or ThreadPoolExecutor(1, "aside")
        begun = Event()
        self._running = self._thread.submit(_begin, begun, _way(), (connection.connection, text, words))
        begun.wait()  # or this thread would keep the interpreter for its whole turn (5 ms) before anything is sent

    def end(self) -> None:
        """Return when the last statement is through. Errors: those of Django's cursors."""
        running, self._running = self._running, None
        if running is not None:
            with connection.wrap_database_errors:
                running.result()

    def run(self, text: str, words: Words) -> None:
        """Send the statement and wait for it: no thread is needed. Errors: those of Django's cursors."""
        connection.ensure_connection()
        with connection.wrap_database_errors:
            _way()(connection.connection, text, words)


def _begin(begun: Event, way: Callable[[Any, str, Words], None], what: tuple[Any, str, Words]) -> None:
    begun.set()
    way(*what)


def _way() -> Callable[[Any, str, Words], None]:
    return _alone if connection.get_autocommit() else _within


def _alone(session: Any, text: str, words: Words) -> None:
    with session.cursor() as cursor:
        cursor.execute(text, words)


def _within(session: Any, text: str, words: Words) -> None:
    with session.cursor() as cursor:
        try:
            cursor.execute(f"SAVEPOINT aside; {text}; RELEASE SAVEPOINT aside", words)
        except psycopg2.Error:
            if not session.closed:
                cursor.execute("ROLLBACK TO SAVEPOINT aside; RELEASE SAVEPOINT aside")
            raise
