"""Advisory locks of PostgreSQL, by name. All keys of the product are listed here."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from django.db import connection


class LockKey(IntEnum):
    """One number a lock; never reuse a number."""

    PLANNER = 4_701  # commits of placements (transaction lock)
    DRIVER = 4_702  # one pass over live attempts at a time (session lock)
    PIPELINES = 4_703
    MIX = 4_704  # one pricing of the demand at a time (session lock)


def lock_in_transaction(key: LockKey) -> None:
    """Wait for the lock; it ends with the open transaction."""
    with connection.cursor() as cursor:
        cursor.execute(locking(key))


def locking(key: LockKey) -> str:
    """The statement that waits for the lock, for those who send another along with it."""
    return f"SELECT pg_advisory_xact_lock({int(key)});"


@contextmanager
def try_lock(key: LockKey) -> Iterator[bool]:
    """Hold the lock for the block if it is free; a killed process frees it with its connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [int(key)])
        held = bool(cursor.fetchone()[0])
    try:
        yield held
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [int(key)])
