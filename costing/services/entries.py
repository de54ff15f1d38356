"""Append entries to the ledger, all of one booking in one COPY."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from alldata.kernel.ids import uuid7
from costing.services.metering import Account, Amount, Owner

COPY = """
COPY ledger_entry (id, hour_ms, upto_ms, node, device, dimension, bucket, attempt_id, job_id, project_id,
    price_version_id, revision, q, nano, booked_ms, correction) FROM STDIN
"""
NULL = "\\N"


@dataclass(frozen=True, slots=True)
class Entry:
    """A change of one account, and whose it is."""

    account: Account
    change: Amount
    owner: Owner | None


@dataclass(frozen=True, slots=True)
class Stamp:
    """What all entries of one booking share; the times are in ms."""

    node: str
    hour_ms: int
    upto_ms: int
    revision: int
    booked_ms: int
    correction: bool = False


def append(entries: Sequence[Entry], stamp: Stamp) -> None:
    """Write the entries; the caller holds the lock of the node-hour."""
    text = io.StringIO("".join(_line(entry, stamp) for entry in entries))
    with connection.cursor() as cursor:
        cursor.copy_expert(COPY, text)


def _line(entry: Entry, stamp: Stamp) -> str:
    account, owner = entry.account, entry.owner
    fields = (
        uuid7().hex,
        stamp.hour_ms,
        stamp.upto_ms,
        _escaped(stamp.node),
        _escaped(account.device),
        account.dimension,
        account.bucket.value,
        account.attempt.hex if account.attempt else NULL,
        owner.job_id.hex if owner else NULL,
        owner.project_id.hex if owner else NULL,
        account.price_version.hex,
        stamp.revision,
        entry.change.q,
        entry.change.nano,
        stamp.booked_ms,
        "t" if stamp.correction else "f",
    )
    return "\t".join(map(str, fields)) + "\n"


def _escaped(text: str) -> str:
    """COPY's text format: a name with a tab or a backslash must not become two fields."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
