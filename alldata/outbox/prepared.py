"""Statements that are planned once a connection, not once a call: for long ones on hot paths.

Planning costs more than running when a statement touches few rows. A prepared statement belongs to its session, as
our session locks do, so a pooler in between must pool sessions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

from django.db import connection
from django.db.backends.utils import CursorWrapper


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement with $1, $2, ... of the given types; `name` is unique in the product."""

    name: str
    types: str
    text: str
    _known: WeakSet[Any] = field(default_factory=WeakSet)  # sessions that have planned it

    def execute(self, cursor: CursorWrapper, words: Sequence[Any]) -> None:
        """Run it on the cursor's connection."""
        self.plan()
        cursor.execute(self.call(len(words)), words)

    def plan(self) -> None:
        """Have the session plan it, unless it has."""
        connection.ensure_connection()
        session = connection.connection
        if session not in self._known:
            with connection.cursor() as cursor:
                cursor.execute(f"PREPARE {self.name} ({self.types}) AS {self.text}")
            self._known.add(session)

    def call(self, words: int) -> str:
        """What runs it, for those who send more along with it."""
        return f"EXECUTE {self.name} ({', '.join(['%s'] * words)})"
