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

    def execute(self, cursor: CursorWrapper, words: Sequence[Any], *, first: str = "") -> None:
        """Run it on the cursor's connection, after the statement `first` in the same round trip."""
        session = connection.connection
        if session not in self._known:
            cursor.execute(f"PREPARE {self.name} ({self.types}) AS {self.text}")
            self._known.add(session)
        blanks = ", ".join(["%s"] * len(words))
        cursor.execute(f"{first}EXECUTE {self.name} ({blanks})", words)
